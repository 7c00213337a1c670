import type { Command } from 'commander';
import { StoreAddressInvalid, StoreUnavailable, WaitExpired } from '../../event-store/errors.js';
import { openLog, type OpenLog } from './log-location.js';

/**
 * Runs what a command does with a log, and closes that whatever comes of it. An error is told in one line, and the exit code is 1.
 */
export const runOnLog = async (command: Command, action: (log: OpenLog) => Promise<void>): Promise<void> => {
  try {
    const log = await openLog(command);
    try {
      await action(log);
    } catch (error) {
      throw isSilence(error) ? unreachable(log, error) : error;
    } finally {
      await log.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const words = error instanceof StoreAddressInvalid ? `the address of the store: ${reason}` : reason;
    command.error(`longshore ${command.name()}: ${words}`, { exitCode: 1 });
  }
};

const isSilence = (error: unknown): error is Error =>
  error instanceof WaitExpired || error instanceof StoreUnavailable;

const unreachable = ({ address }: OpenLog, cause: Error): Error =>
  new Error(`the store at ${address} does not answer: ${cause.message}`, { cause });
