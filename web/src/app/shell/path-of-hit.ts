import type { Outputs } from '~/api/client.ts';

type Hit = Outputs['search']['search']['results'][number];

/** Returns the page of a search hit; undefined for kinds that have none. */
export function pathOfHit({ kind, _id, name }: Pick<Hit, 'kind' | '_id' | 'name'>): string | undefined {
  const id = encodeURIComponent(_id);
  const paths: Record<string, string> = {
    job: `/jobs/${id}`,
    device: `/devices/${encodeURIComponent(name)}`,
    deviceGroup: `/device-groups/${id}`,
    workflow: `/workflows/${id}`,
    project: `/projects/${id}`,
    automation: `/automations/${id}`,
    tree: `/trees/${id}`,
    goldenConfig: `/trees/${id}`,
  };
  return paths[kind];
}
