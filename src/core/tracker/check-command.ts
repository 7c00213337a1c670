import { limits } from '../limits.js';
import type { Labels } from '../job/requirement.js';
import type { Command, SubmitJob } from './command.js';
import type { Rejection } from './decision.js';

export const reject = (code: Rejection['code'], message: string, field?: string): Rejection => ({
  kind: 'rejected',
  code,
  message,
  ...(field !== undefined && { field }),
});

type Problem = readonly [field: string, message: string];

/** What is wrong with the form of a command, whatever the state. Nothing if it may be decided on. */
export const checkCommand = (command: Command): Rejection | undefined => {
  const problem = problemOf(command);
  return problem && reject('invalid-input', `${problem[0]}: ${problem[1]}`, problem[0]);
};

const problemOf = (command: Command): Problem | undefined => {
  switch (command.type) {
    case 'SubmitJob':
      return problemOfSubmit(command);
    case 'CancelJob':
      return inText('id', command.jobId) ?? inReason(command.reason);
    case 'CordonNode':
    case 'DrainNode':
      return inText('id', command.nodeId) ?? inReason(command.reason);
    case 'UncordonNode':
      return inText('id', command.nodeId);
  }
};

const problemOfSubmit = (command: SubmitJob): Problem | undefined => {
  const { jobId, by, kind, size, priority, name, estimatedRunMs, preferredNode } = command;
  return (
    inText('id', jobId) ??
    inText('submitter', by.submitter) ??
    inText('kind', kind, limits.kindCharactersMax) ??
    inWhole('size', size, 1, limits.sizeMax) ??
    inWhole('priority', priority, limits.priorityMin, limits.priorityMax) ??
    (name === undefined ? undefined : inText('name', name, limits.nameCharactersMax)) ??
    (preferredNode === undefined ? undefined : inText('preferredNode', preferredNode)) ??
    (estimatedRunMs === undefined
      ? undefined
      : inWhole('estimatedRunMs', estimatedRunMs, 0, Number.MAX_SAFE_INTEGER)) ??
    inLabels('requiredLabels', command.requiredLabels, limits.labelsMax) ??
    inLabels('tags', command.tags, limits.tagsMax)
  );
};

// What nobody can see or type makes two names look like one.
const control = /\p{Cc}/u;

const inText = (
  field: string,
  text: string,
  charactersMax: number = limits.idCharactersMax,
): Problem | undefined => {
  if (text.length === 0) return [field, 'it must not be empty'];
  if (text.length > charactersMax)
    return [field, `it has ${text.length} characters; at most ${charactersMax} are allowed`];
  if (control.test(text)) return [field, 'it must not have control characters'];
  if (!text.isWellFormed()) return [field, 'it is not well-formed Unicode'];
  return undefined;
};

const inReason = (reason: string | undefined): Problem | undefined => {
  if (reason !== undefined && reason.length > limits.reasonCharactersMax)
    return [
      'reason',
      `it has ${reason.length} characters; at most ${limits.reasonCharactersMax} are allowed`,
    ];
  if (reason !== undefined && !reason.isWellFormed()) return ['reason', 'it is not well-formed Unicode'];
  return undefined;
};

const inWhole = (field: string, value: number, min: number, max: number): Problem | undefined =>
  Number.isSafeInteger(value) && value >= min && value <= max
    ? undefined
    : [field, `it is ${value}, and must be a whole number from ${min} to ${max}`];

const inLabels = (field: string, labels: Labels | undefined, countMax: number): Problem | undefined => {
  if (labels === undefined) return undefined;
  const entries = Object.entries(labels);
  if (entries.length > countMax)
    return [field, `it has ${entries.length} entries; at most ${countMax} are allowed`];
  for (const [name, value] of entries) {
    const problem = inText(field, name, limits.labelCharactersMax) ?? inValue(field, name, value);
    if (problem) return problem;
  }
  return undefined;
};

const inValue = (field: string, name: string, value: string): Problem | undefined => {
  const of = `${field}.${name}`;
  // A label may be there without saying more.
  return value === '' ? undefined : inText(of, value, limits.labelCharactersMax);
};
