import { jest } from '@jest/globals';

// Jest reads `testTimeout` from the whole configuration only, and silently passes over that of a project.
jest.setTimeout(globalThis.testTimeoutMs);
