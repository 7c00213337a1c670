import type { JobId, Revision } from '../core/ids.js';
import type { Lookup } from '../core/tracker/command.js';

/** Where jobs are found that have left memory (P23). */
export interface JobArchive {
  /**
   * @param notBefore it must have taken in the log up to here at least
   * @throws whatever keeps it from answering; the command is then surely not accepted
   */
  find(jobId: JobId, notBefore: Revision, signal: AbortSignal): Promise<Lookup>;
}
