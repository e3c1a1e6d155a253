import type { LiveEvent } from '~/api/live/live.ts';
import type { PagePath } from '../paths.ts';

/** What a step may look at: where the user is, or an event, with the numbers of proposals by state. */
export type TourMoment = {
  path: string;
  event?: LiveEvent;
  proposals: Readonly<Record<string, number>>;
  accountId: string;
};

export type TourStep = {
  id: string;
  title: string;
  hint: string;
  /** Where the step is done. */
  to: PagePath;
  isDone: (moment: TourMoment) => boolean;
};

const has = (states: readonly string[]) => (moment: TourMoment) =>
  states.some((state) => (moment.proposals[state] ?? 0) > 0);

/** The steps of the tour, in their order. Each is done when it really happened, wherever it was done from. */
export const STEPS: readonly TourStep[] = [
  {
    id: 'devices',
    title: 'See the devices',
    hint: 'Open Devices: simulated routers and switches of ten kinds.',
    to: '/devices',
    isDone: ({ path }) => path.startsWith('/devices'),
  },
  {
    id: 'compliance',
    title: 'Run compliance',
    hint: 'Open Compliance and run a golden configuration against its devices.',
    to: '/compliance',
    isDone: ({ event }) => event?.topic === 'complianceBatchFinished',
  },
  {
    id: 'report',
    title: 'Open a failure',
    hint: 'Follow a device with errors to its report.',
    to: '/compliance',
    isDone: ({ path }) => /^\/reports\/./.test(path),
  },
  {
    id: 'propose',
    title: 'Propose a remediation',
    hint: 'On the report of a device, propose the change that removes its errors.',
    to: '/compliance',
    isDone: ({ event }) =>
      event?.topic === 'configurationChanged' &&
      event.payload.kind === 'remediation' &&
      event.payload.change === 'created',
  },
  {
    id: 'approve',
    title: 'Approve as the second user',
    hint: 'Sign in as the account “second” in another browser or a private window, and approve it: the author cannot.',
    to: '/proposals',
    isDone: has(['approved', 'applying', 'applied']),
  },
  {
    id: 'apply',
    title: 'Apply it',
    hint: 'Apply the approved proposal to the device.',
    to: '/proposals',
    isDone: has(['applied']),
  },
  {
    id: 'job',
    title: 'Watch a job',
    hint: 'Start “Change with a confirmation” from Automations and open its job.',
    to: '/automations',
    isDone: ({ path }) => /^\/jobs\/./.test(path),
  },
  {
    id: 'manual',
    title: 'Finish a manual task',
    hint: 'The job waits for you in My work: claim its task and finish it.',
    to: '/work',
    isDone: ({ event, accountId }) => event?.topic === 'taskFinished' && event.payload.by === accountId,
  },
];
