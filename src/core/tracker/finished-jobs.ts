import type { FinishedJob } from '../job/job.js';

/** Jobs that are over, in the order in which they ended. Taking from the front costs the same however many there are. */
export class FinishedJobs {
  private jobs: FinishedJob[] = [];
  private first = 0;

  get count(): number {
    return this.jobs.length - this.first;
  }

  get oldest(): FinishedJob | undefined {
    return this.jobs[this.first];
  }

  add(job: FinishedJob): void {
    this.jobs.push(job);
  }

  takeOldest(): FinishedJob | undefined {
    const job = this.jobs[this.first];
    if (!job) return undefined;
    this.first += 1;
    // The taken half is let go of at once, so that on average each job is moved once.
    if (this.first * 2 > this.jobs.length) {
      this.jobs = this.jobs.slice(this.first);
      this.first = 0;
    }
    return job;
  }

  /** From the oldest on. `from` counts from the oldest. */
  *from(from: number): IterableIterator<FinishedJob> {
    for (let index = this.first + from; index < this.jobs.length; index += 1) {
      const job = this.jobs[index];
      if (job) yield job;
    }
  }

  [Symbol.iterator](): IterableIterator<FinishedJob> {
    return this.from(0);
  }
}
