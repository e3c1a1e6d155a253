import { compile } from '#server/app/compile.mjs';
import { LATE_OPTIMISATION } from '#server/app/optimisation.cjs';

/** Programs of the lab and of the tests that run in processes of their own, from the root of the checkout. */
const PROGRAMS = {
  devices: 'test/lab/devices/run.ts',
  gnoi: 'test/lab/gnoi/run.ts',
  orchestrator: 'test/lab/orchestrator/run.ts',
  moody: 'test/lab/moody.ts',
  cmdb: 'test/lab/cmdb.ts',
  tickets: 'test/lab/tickets.ts',
  'calls-process': 'test/helpers/processes/calls-process.ts',
  'compliance-process': 'test/helpers/processes/compliance-process.ts',
  'durable-process': 'test/helpers/processes/durable-process.ts',
  'jobs-process': 'test/helpers/processes/jobs-process.ts',
  'notifications-process': 'test/helpers/processes/notifications-process.ts',
  'owner-process': 'test/helpers/processes/owner-process.ts',
  'packages-process': 'test/helpers/processes/packages-process.ts',
};

export type ProgramName = keyof typeof PROGRAMS;

let compiled: ReturnType<typeof compile> | undefined;

/** Arguments of node that run a program. All are compiled at the first call: a start through the loader takes seconds. */
export async function commandOf(name: ProgramName): Promise<string[]> {
  compiled ??= compile(PROGRAMS);
  // Most of these programs run for seconds.
  return [...LATE_OPTIMISATION, ...(await compiled)(name)];
}
