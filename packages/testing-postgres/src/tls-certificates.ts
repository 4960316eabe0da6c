// Certificates and keys for tests only; nothing else trusts them. Node cannot make certificates,
// and not every machine has openssl, so these were made once, valid from 2020 to 2119:
//
//   new="faketime 2020-01-01 openssl req -x509 -newkey ec \
//     -pkeyopt ec_paramgen_curve:P-256 -noenc -days 36500"
//   $new -subj '/CN=Pet Store test CA' -keyout ca.key -out ca.pem
//   $new -CA ca.pem -CAkey ca.key -subj /CN=localhost \
//     -addext subjectAltName=DNS:localhost -addext basicConstraints=CA:FALSE \
//     -keyout localhost.key -out localhost.pem
//   $new -key localhost.key -subj /CN=elsewhere.test \
//     -addext subjectAltName=DNS:elsewhere.test -out elsewhere.pem

/** The certificate of the authority that has signed the certificate of `localhost`. */
export const CA = `-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIULQgibwXKGvIcJXH9AoP+46Up0VgwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRUGV0IFN0b3JlIHRlc3QgQ0EwIBcNMjAwMTAxMDAwMDAwWhgP
MjExOTEyMDgwMDAwMDBaMBwxGjAYBgNVBAMMEVBldCBTdG9yZSB0ZXN0IENBMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEkavYALuDodW0ZKjTLUBN2UrIzFVEcKMe
uo5b1d8Tgk3z3m9dBiYAlXwfk+8ujbCnec4vinvfb6BxPMjAE7u4CqNTMFEwHQYD
VR0OBBYEFEzLOTYX0KRau0lSxqG1xbWWd+ZBMB8GA1UdIwQYMBaAFEzLOTYX0KRa
u0lSxqG1xbWWd+ZBMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIg
Uo3QM6ImjkIU6LklBdxyMFdjBBllPjLuDNCk9Q9+wbgCIQCBQo3IY7Z5RTrj9l0c
0v2QFoJFnBU0kAWZOvHWB1zAWA==
-----END CERTIFICATE-----
`

/** The certificate and the key of a server named `localhost`. */
export const LOCALHOST = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBlzCCAT2gAwIBAgIUQGeHhffgmGE4xng9o2bZ28vbsX8wCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRUGV0IFN0b3JlIHRlc3QgQ0EwIBcNMjAwMTAxMDAwMDAwWhgP
MjExOTEyMDgwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABA1xmbn4duclM5qHEOe0yITjA7n9rVgYkuZlH36bWRMo
6tZeEmHgJlo5OW9kuFvpUdyUz0/LSJRmUjHoi0LOas2jYzBhMB0GA1UdDgQWBBSY
5/shqAkPDEq8mgGazOC+oekOZzAfBgNVHSMEGDAWgBRMyzk2F9CkWrtJUsahtcW1
lnfmQTAUBgNVHREEDTALgglsb2NhbGhvc3QwCQYDVR0TBAIwADAKBggqhkjOPQQD
AgNIADBFAiBOwgWmPEDV74EYhkySxTx/gfOOt+5S+jjIar/1RC0XvwIhAIANsJK+
pULRbpOi1iKy6/kKJs+TF/ouh9lPPMjXFZX5
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvHKq52x6biF+1cBb
HSTUxAfprJtXB0LQU13puSjI9aGhRANCAAQNcZm5+HbnJTOahxDntMiE4wO5/a1Y
GJLmZR9+m1kTKOrWXhJh4CZaOTlvZLhb6VHclM9Py0iUZlIx6ItCzmrN
-----END PRIVATE KEY-----
`,
}

/**
 * The certificate of a server with another name and the same key. It is signed by itself, so it is
 * also that of its authority.
 */
export const ELSEWHERE = `-----BEGIN CERTIFICATE-----
MIIBcTCCARigAwIBAgIUTfai9WLpfreydODrPrWYjTH1NTkwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOZWxzZXdoZXJlLnRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEx
OTEyMDgwMDAwMDBaMBkxFzAVBgNVBAMMDmVsc2V3aGVyZS50ZXN0MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEDXGZufh25yUzmocQ57TIhOMDuf2tWBiS5mUffptZ
Eyjq1l4SYeAmWjk5b2S4W+lR3JTPT8tIlGZSMeiLQs5qzaM8MDowGQYDVR0RBBIw
EIIOZWxzZXdoZXJlLnRlc3QwHQYDVR0OBBYEFJjn+yGoCQ8MSryaAZrM4L6h6Q5n
MAoGCCqGSM49BAMCA0cAMEQCIHB/sT9mneecz3mrjHqTuYzC7SAs0crSVyboXdXk
/DCTAiAXDt1aLIKYNaSgOdIDenLSz7ovMkAgh00x5qzP4ywKaw==
-----END CERTIFICATE-----
`
