import { NOBODY, type Seen, type Step, step } from './step.ts';

const remote = {
  name: 'Configurations',
  url: 'https://git.example.net/network/config.git',
  branch: 'main',
  kinds: ['workflows'],
  direction: 'both',
  credential: { token: 'a-secret-token' },
};
const own = (seen: Seen) => ({ id: seen.remote });

/** Git remotes and their runs. */
export const GIT: Step[] = [
  step(
    'git.createRemote',
    { remote },
    { keep: (body: { data: { _id: string } }) => ({ remote: body.data._id }) },
  ),
  step('git.createRemote', { remote }),
  step('git.createRemote', { remote: { ...remote, name: 'x', url: 'ext::sh', branch: '-f' } }),
  step('git.listRemotes', { queryOptions: { sort: 'name' } }),
  step('git.getRemote', own),
  step('git.updateRemote', (seen) => ({ id: seen.remote, remote: { path: 'lab' } })),
  step('git.push', (seen) => ({ id: seen.remote, dryRun: true, branch: 'a..b' })),
  step('git.push', (seen) => ({ id: seen.remote, dryRun: true }), {
    keep: (body: { runId: string }) => ({ run: body.runId }),
  }),
  step('git.pull', own),
  step('git.listRuns', own, { measured: true }),
  step('git.getRun', (seen) => ({ runId: seen.run }), { measured: true }),
  step('git.getRun', { runId: NOBODY }),
  step('git.getConflict', (seen) => ({ runId: seen.run, path: 'workflows/x.json' })),
  step('git.deleteRemote', own),
];
