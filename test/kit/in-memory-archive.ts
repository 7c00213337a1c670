import type { JobArchive } from '../../src/aggregate/job-archive.js';
import type { JobId, Revision } from '../../src/core/ids.js';
import type { Lookup } from '../../src/core/tracker/command.js';
import type { Event } from '../../src/core/tracker/event.js';

type Found = NonNullable<Lookup['found']>;

/** Every job that ever was, as a view would keep it. */
export class InMemoryArchive implements JobArchive {
  readonly lookups: JobId[] = [];
  private readonly jobs = new Map<
    JobId,
    { contentHash: string; submitter: Found['submitter']; status?: Found['status'] }
  >();
  private at: Revision = -1;

  take(events: readonly Event[], firstRevision: Revision): void {
    for (const event of events) this.takeOne(event);
    this.at = firstRevision + events.length - 1;
  }

  async find(jobId: JobId): Promise<Lookup> {
    this.lookups.push(jobId);
    const job = this.jobs.get(jobId);
    if (job?.status === undefined) return { at: this.at };
    return { at: this.at, found: { ...job, status: job.status } };
  }

  private takeOne(event: Event): void {
    if (event.type === 'JobAccepted') {
      this.jobs.set(event.jobId, { contentHash: event.contentHash, submitter: event.submitter });
      return;
    }
    const job = 'jobId' in event ? this.jobs.get(event.jobId) : undefined;
    if (!job) return;
    if (event.type === 'JobCancelled') job.status = 'cancelled';
    if (event.type === 'AttemptEnded' && event.then !== 'pending') job.status = event.then;
  }
}
