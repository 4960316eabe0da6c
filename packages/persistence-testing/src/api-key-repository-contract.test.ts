import { createMemoryApiKeys } from '@pet-store/access/memory'
import { endingFaults } from './api-key-faults/ending.test-support.ts'
import { replacingFaults } from './api-key-faults/replacing.test-support.ts'
import { storingFaults } from './api-key-faults/storing.test-support.ts'
import { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
import { testContract } from './fault.test-support.ts'

const faults = [...storingFaults, ...endingFaults, ...replacingFaults]

testContract('apiKeyRepositoryContract', apiKeyRepositoryContract, faults, createMemoryApiKeys)
