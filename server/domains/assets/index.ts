/**
 * Studio documents, their storage and references, and the template languages Jinja and TextFSM. Other domains, routers
 * and the service import only this file.
 */

export * from './authors/authors.service.ts';
export { authorsAsSent } from './authors/sent.ts';
export { authorOf } from './authors/writing.service.ts';
export * from './forms/forms.service.ts';
export {
  assertMay,
  assertMembers,
  findProject,
  openProject,
  saveProject,
} from './project-access/project-access.service.ts';
export { accessOf, sameMembers, storedMember } from './project-access/project-members.ts';
export {
  arranged,
  componentsOf,
  type NewComponent,
  refoldered,
  withComponents,
  withoutComponent,
} from './project-access/project-tree.ts';
export { listedProjects, projectView } from './project-access/project-views.service.ts';
export {
  assertMayWriteIn,
  findAssets,
  getAsset,
  insertAsset,
  removeAssets,
  replaceAsset,
  type StoredAsset,
  takenNames,
} from './stored/assets.service.ts';
export * from './stored/component-access.service.ts';
export {
  createAsset,
  deleteAssets,
  importDocuments,
  updateAsset,
} from './stored/documents.service.ts';
export { assetAsStored, documentIssues, nameFault } from './stored/documents.ts';
export { type AssetFindings, asErrors, asFindings, errorsOf } from './stored/drafts.ts';
export * from './stored/import.service.ts';
export type { ImportItem } from './stored/import.ts';
export { type Asset, expandedIn, stampsNow, unstamped } from './stored/kinds.ts';
export {
  assertUnused,
  forgetReferences,
  recordReferences,
  removeDocuments,
  resolve,
  tableOf,
  usersOf,
} from './stored/references.service.ts';
export {
  type ComponentUse,
  type Reference,
  referencesIn,
  usesOf,
  withRewrittenReferences,
} from './stored/references.ts';
export { referencesTo } from './stored/referencing.service.ts';
export { bareName, projectOf, scopedName } from './stored/scope.ts';
export { forgetTags } from './stored/tagging.service.ts';
export * from './tags/tags.service.ts';
export { compileAll } from './templates/check.service.ts';
export { type TemplateError, templateError } from './templates/check.ts';
export * from './templates/run.service.ts';
export * from './templates/templates.service.ts';
export type { TextFsmRecord } from './textfsm/run.ts';
