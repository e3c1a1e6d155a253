import { expect } from 'vitest';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import type { Workflow } from '#db/schemas/workflow/workflow.ts';
import type { Actor, openActing } from '../jobs/acting.ts';
import { uuid } from './assets.ts';
import { prebuilt } from './prebuilts.ts';

type Json = Record<string, unknown>;
type Bringing = {
  service: Pick<Awaited<ReturnType<typeof openActing>>, 'fire' | 'projectId'>;
  admin: Actor;
  /** Sends a request that may be denied. @returns the data of the answer; undefined when it was denied */
  tried: <Data>(by: Actor, method: string, path: string, body?: unknown) => Promise<Data | undefined>;
  begin: (by: Actor, workflow: string) => Promise<Job | undefined>;
  enabled: (by: Actor, triggerId: string) => Promise<Trigger | undefined>;
  /** An automation of the admin with a schedule of his, that starts a workflow. */
  scheduled: (workflow: string) => Promise<{ id: string; scheduleId: string }>;
  /** The workflow that files bring. */
  probes: () => Workflow;
};

const OM = '/operations-manager';

/** A schedule of a file, which says that it runs for an account. */
const clockFor = (runAs: string): Json => ({
  ...{ name: 'Clock', type: 'schedule', enabled: true, runAs },
  ...{ firstRunAt: Date.now() + 86_400_000, repeatUnit: 'day' },
});

/** A package with an automation that starts a workflow, written over what has its name. */
export const overwriting = (componentName: string, name: string): Json => ({
  prebuilt: prebuilt(`Over ${Math.random()}`, [
    { type: 'automation', data: { name, componentName, componentType: 'workflows', triggers: [] } },
  ]),
  options: { overwrite: true },
});

/** Starts of work that a project file or a package brought: each returns the job that then runs; undefined when it is denied. */
export function startsOfImports({ service, admin, tried, begin, enabled, scheduled, probes }: Bringing) {
  /** The probes as a file brings them. */
  const probesAs = (name: string): Json => {
    const { _id, ...doc } = probes();
    return { ...doc, name };
  };

  /** Imports a project with the probes in it. @returns its id; undefined when the account is denied */
  async function projectWith(by: Actor, more: Json = {}): Promise<string | undefined> {
    const file = {
      name: `Project ${by.id}`,
      components: [
        { iid: 0, type: 'workflow', reference: uuid(), folder: '/', document: probesAs(`Brought ${by.id}`) },
      ],
      ...more,
    };
    const made = await tried<{ _id: string }>(by, 'POST', '/automation-studio/projects/import', {
      project: file,
    });
    return made?._id;
  }

  /** Installs a package. @returns the id of its automation; undefined when the account is denied */
  async function installed(by: Actor, automation: string, request: Json) {
    const answer = await by.send('POST', '/prebuilts/import', request);
    expect([200, 403], answer.text).toContain(answer.status);
    if (answer.status !== 200) return undefined;
    const found = await admin.done<{ _id: string }[]>(
      'GET',
      `${OM}/automations?equals[name]=${encodeURIComponent(automation)}`,
    );
    return found[0]?._id;
  }

  return {
    'an imported project': async (by: Actor) => {
      const id = await projectWith(by);
      return id ? begin(by, `@${id}: Brought ${by.id}`) : undefined;
    },
    'an import onto a project': async (by: Actor) => {
      // Only an editor or owner may: a copy is made of it for whoever does not even see it.
      const id = await projectWith(by, { _id: service.projectId });
      expect(id).not.toBe(service.projectId);
      return id ? begin(by, `@${id}: Brought ${by.id}`) : undefined;
    },
    'a package with a schedule': async (by: Actor) => {
      const name = `Packed ${by.id}`;
      const data = { name, componentName: name, componentType: 'workflows', triggers: [clockFor(admin.id)] };
      const bundles = [
        { type: 'workflow', data: { ...probesAs(name), _id: uuid() } },
        { type: 'automation', data },
      ];
      const id = await installed(by, name, { prebuilt: prebuilt(`Package ${by.id}`, bundles) });
      const [made] = id ? await admin.done<Trigger[]>('GET', `${OM}/triggers?equals[actionId]=${id}`) : [];
      if (!made) return undefined;
      if (!made.enabled) await enabled(by, made._id);
      return service.fire(made._id);
    },
    'a package over an automation of somebody else': async (by: Actor) => {
      const { id, scheduleId } = await scheduled('Harmless');
      const { name } = await admin.done<{ name: string }>('GET', `${OM}/automations/${id}`);
      const changed = await installed(by, name, overwriting('Probes', name));
      return changed ? service.fire(scheduleId) : undefined;
    },
  };
}
