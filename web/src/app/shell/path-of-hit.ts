import type { Outputs } from '~/api/client.ts';
import {
  automationPath,
  deviceGroupPath,
  devicePath,
  projectPath,
  treePath,
  workflowPath,
} from '../paths.ts';

type Hit = Outputs['search']['search']['results'][number];
type HitLink = ReturnType<
  | typeof automationPath
  | typeof deviceGroupPath
  | typeof devicePath
  | typeof projectPath
  | typeof treePath
  | typeof workflowPath
>;

const LINKS: Partial<Record<Hit['kind'], (id: string) => HitLink>> = {
  deviceGroup: deviceGroupPath,
  workflow: workflowPath,
  project: projectPath,
  automation: automationPath,
  tree: treePath,
};

/** Returns the link to the page of a search hit; undefined for kinds that have none. */
export const pathOfHit = ({ kind, _id, name }: Pick<Hit, 'kind' | '_id' | 'name'>): HitLink | undefined =>
  kind === 'device' ? devicePath(name) : LINKS[kind]?.(_id);
