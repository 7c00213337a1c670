import { writeSync } from 'node:fs';

/**
 * Ends the process at once, without running anything that could sync again (P29): an orderly exit would close the log,
 * and closing it syncs pages that the kernel may already count as written though they are lost.
 *
 * From a thread this ends the whole process, whose application must not go on without its store either.
 */
export function endProcess(error: Error): void {
  writeSync(2, `longshore store: ${error.message}; ending the process, restart it to recover\n`);
  process.kill(process.pid, 'SIGKILL');
}
