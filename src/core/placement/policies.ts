import type { PolicyName } from '../tracker/settings.js';
import { earlyBinding } from './early-binding.js';
import { lateBinding } from './late-binding.js';
import type { Policy } from './policy.js';

/** The policies that there are, by the name in the settings. */
export const policies: Readonly<Record<PolicyName, Policy>> = {
  'late-binding': lateBinding,
  'early-binding': earlyBinding,
};
