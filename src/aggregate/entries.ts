import type { Revision } from '../core/ids.js';
import type { Command } from '../core/tracker/command.js';
import type { FactAnswer, Rejection } from '../core/tracker/decision.js';
import type { Fact } from '../core/tracker/fact.js';

/** The answer to a command. */
export type Reply =
  /** `revision`: of the last event made, or, if it stood so already, of what it was decided on. */
  | { readonly kind: 'accepted'; readonly revision: Revision; readonly wasNew: boolean }
  | (Rejection & { readonly decidedAt: Revision });

/** Somebody waits for an answer that comes once, or an error. What comes later is dropped. */
export class Waiting<T> {
  private isSettled = false;

  constructor(
    private readonly resolve: (answer: T) => void,
    private readonly reject: (error: Error) => void,
    /** Called once, however it ends. */
    private readonly onSettled: () => void,
  ) {}

  get isOver(): boolean {
    return this.isSettled;
  }

  answer(answer: T): void {
    if (this.settle()) this.resolve(answer);
  }

  fail(error: Error): void {
    if (this.settle()) this.reject(error);
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.onSettled();
    return true;
  }
}

/** A command in its queue. */
export interface CommandEntry {
  readonly id: string;
  readonly command: Command;
  /** Of what it carries, encoded. */
  readonly bytes: number;
  readonly waiting: Waiting<Reply>;
  /** True from when it may leave traces in the log. */
  wasTaken: boolean;
}

/** A fact in its queue. */
export interface FactEntry {
  readonly id: string;
  readonly fact: Fact;
  readonly bytes: number;
  readonly waiting: Waiting<FactAnswer>;
}
