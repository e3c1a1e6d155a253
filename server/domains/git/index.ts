/** Documents in Git repositories: remotes, pushes and pulls. Other domains, routers and the service import only this file. */

export {
  createRemote,
  deleteRemote,
  failingRemotes,
  getRemote,
  listRemotes,
  updateRemote,
} from './remotes/remotes.service.ts';
export { getConflict } from './runs/conflict.service.ts';
export { getRun, listRuns, startRun } from './runs/runs.service.ts';
