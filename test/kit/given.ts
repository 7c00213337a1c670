import { expect } from '@jest/globals';
import type { Command } from '../../src/core/tracker/command.js';
import type { Decision, FactAnswer, RejectionCode } from '../../src/core/tracker/decision.js';
import type { Fact } from '../../src/core/tracker/fact.js';
import type { PolicyName, Settings } from '../../src/core/tracker/settings.js';
import { completed } from './completed-event.js';
import { CoreDriver } from './core-driver.js';
import type { EventPattern } from './event-patterns.js';

/** So many milliseconds in which nothing else happens. */
interface Passing {
  readonly type: 'Passing';
  readonly ms: number;
}

export const passing = (ms: number): Passing => ({ type: 'Passing', ms });

/** The next leader begins, perhaps with other settings. */
interface NextTerm {
  readonly type: 'NextTerm';
  readonly settings: Partial<Settings>;
}

export const nextTerm = (settings: Partial<Settings> = {}): NextTerm => ({ type: 'NextTerm', settings });

type Past = EventPattern | Passing | NextTerm;
type Input = Command | Fact | Passing | NextTerm;

const take = (driver: CoreDriver, input: Input): Decision | FactAnswer | undefined => {
  switch (input.type) {
    case 'Passing':
      driver.pass(input.ms);
      return driver.fact({ type: 'TimePassed' });
    case 'NextTerm':
      driver.startTerm(input.settings);
      return undefined;
    case 'SubmitJob':
    case 'CancelJob':
    case 'CordonNode':
    case 'UncordonNode':
    case 'DrainNode':
      return driver.command(input);
    case 'NodeSaidHello':
    case 'NodeReturned':
    case 'NodeFellSilent':
    case 'NodeSaidGoodbye':
    case 'AttemptReported':
    case 'TimePassed':
    case 'ClockJumped':
      return driver.fact(input);
  }
};

/** What came of the inputs: of the last one the answer, of all of them the events, once the pump is quiet. */
class Outcome {
  constructor(
    readonly driver: CoreDriver,
    private readonly answer: Decision | FactAnswer | undefined,
    private readonly from: number,
  ) {}

  /** Exactly these events, in this order; each may have more fields than are named here. */
  then(...expected: readonly EventPattern[]): void {
    const events = this.driver.events.slice(this.from);
    expect(events.map(({ type }) => type)).toEqual(expected.map(({ type }) => type));
    expect(events).toMatchObject(expected);
  }

  answering(expected: Partial<Decision> | FactAnswer): this {
    expect(this.answer).toMatchObject(expected);
    return this;
  }

  /** The command was refused, and wrote nothing. */
  rejects(code: RejectionCode, field?: string, message?: string | RegExp): void {
    expect(this.answer).toMatchObject({ kind: 'rejected', code, ...(field !== undefined && { field }) });
    if (message !== undefined) expect(this.answer).toHaveProperty('message', expect.stringMatching(message));
    this.then();
  }
}

class Given {
  private readonly driver: CoreDriver;

  constructor(settings: Partial<Settings>, past: readonly Past[]) {
    this.driver = new CoreDriver(settings);
    for (const one of past) this.happened(one);
  }

  /** The pump runs after each input until it is quiet. */
  when(...inputs: readonly Input[]): Outcome {
    const { driver } = this;
    const from = driver.events.length;
    let answer: Decision | FactAnswer | undefined;
    for (const input of inputs) {
      answer = take(driver, input);
      driver.pump();
    }
    return new Outcome(driver, answer, from);
  }

  private happened(past: Past): void {
    const { driver } = this;
    if (past.type === 'Passing') driver.pass(past.ms);
    else if (past.type === 'NextTerm') driver.startTerm(past.settings);
    else driver.fold(completed(driver.state, past, driver.now));
  }
}

/** `given` in a term that began with these settings. */
export const givenWith =
  (settings: Partial<Settings>) =>
  (...past: readonly Past[]): Given =>
    new Given(settings, past);

/** In the first term, at the instant it began, these events happened. */
export const given = givenWith({});

export const bothPolicies: readonly PolicyName[] = ['late-binding', 'early-binding'];
