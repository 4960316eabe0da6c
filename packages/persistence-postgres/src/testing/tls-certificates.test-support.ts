// Certificates for tests alone; nobody else trusts them, and the keys guard nothing. Node cannot make certificates, and not
// every machine has openssl, so these were made once, valid from 2020 to 2119:
//
//   new="faketime 2020-01-01 openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 36500"
//   $new -subj '/CN=Pet Store test CA' -keyout ca.key -out ca.pem
//   $new -subj '/CN=Another test CA' -keyout /dev/null -out other-ca.pem
//   for name in localhost elsewhere.test; do
//     $new -CA ca.pem -CAkey ca.key -subj "/CN=$name" -addext "subjectAltName=DNS:$name" \
//       -addext basicConstraints=CA:FALSE -keyout $name.key -out $name.pem
//   done

/** Signed the certificates of the servers below. */
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

/** Signed none of them. */
export const OTHER_CA = `-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIUCvki24LK5uGpu7FpM4MXmLlTTpAwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPQW5vdGhlciB0ZXN0IENBMCAXDTIwMDEwMTAwMDAwMFoYDzIx
MTkxMjA4MDAwMDAwWjAaMRgwFgYDVQQDDA9Bbm90aGVyIHRlc3QgQ0EwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAS9J0Z6I5/qYVAA3zIch9N8WEfMf3BTr5dVxTNi
1QUhecQJK1ZsLgN/kdvR/z4oQuHi/nzwKwL5PaSwR7wJJI39o1MwUTAdBgNVHQ4E
FgQUaTBFMLsP4yH7jJuYweXdgDS5q2IwHwYDVR0jBBgwFoAUaTBFMLsP4yH7jJuY
weXdgDS5q2IwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAoWD5
rtBkZ8r5YsV0EOHFQ07uxZ5czq98lae8LWEH66ICIB1b3tyEoxB3AIgyVLZ18T92
PWoBowxbuAe5JEfUdMHs
-----END CERTIFICATE-----
`

/** For a server that is called `localhost`. */
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

/** For a server of another name. */
export const ELSEWHERE = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBojCCAUegAwIBAgIUQPqDU28csOdMj1ZwzxBH52UmQ1cwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRUGV0IFN0b3JlIHRlc3QgQ0EwIBcNMjAwMTAxMDAwMDAwWhgP
MjExOTEyMDgwMDAwMDBaMBkxFzAVBgNVBAMMDmVsc2V3aGVyZS50ZXN0MFkwEwYH
KoZIzj0CAQYIKoZIzj0DAQcDQgAESZnKuqIkDXbxPV/4PmdXrP5ctb+OX/XXkLuU
xkqh7gHUzumuIZZHX9fZnDc2vNB9xIhhGLbnWMiaFzBTiIvufKNoMGYwHQYDVR0O
BBYEFLtU+ux+fyC1gpOHrdiFYLicsYwyMB8GA1UdIwQYMBaAFEzLOTYX0KRau0lS
xqG1xbWWd+ZBMBkGA1UdEQQSMBCCDmVsc2V3aGVyZS50ZXN0MAkGA1UdEwQCMAAw
CgYIKoZIzj0EAwIDSQAwRgIhAJ3RuawhPYNw1bkvr3L5lLsUyCai2OGzXTPAkN+D
sACqAiEAzwV+8QBxrTh/o8lZO5761k3swo15TFSGAEfXvw2qTNc=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPZpGLSIY9jmjcFgm
X4ekJW1kB/to2/G2dOkbCIskWqShRANCAARJmcq6oiQNdvE9X/g+Z1es/ly1v45f
9deQu5TGSqHuAdTO6a4hlkdf19mcNza80H3EiGEYtudYyJoXMFOIi+58
-----END PRIVATE KEY-----
`,
}
