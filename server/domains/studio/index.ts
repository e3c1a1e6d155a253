/**
 * Features built on assets of every kind: projects, prebuilts, search. Other domains, routers and the service import only
 * this file.
 */

export { listAsCsv, nameOfFile } from './lists/list-file.service.ts';
export * from './prebuilts/prebuilts.service.ts';
export { addComponents, removeComponent } from './projects/components.service.ts';
export { listMissing, listMissingOfWorkflow } from './projects/missing.service.ts';
export { exportProject } from './projects/project-export.service.ts';
export { importProject } from './projects/project-import.service.ts';
export {
  createProject,
  deleteProject,
  getProject,
  getThumbnail,
  listProjects,
  setThumbnail,
  updateProject,
} from './projects/projects.service.ts';
export * from './search/search.service.ts';
