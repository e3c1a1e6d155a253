import { randomUUID } from 'node:crypto';
import { inTransaction } from '#db/client.ts';
import { newId } from '#db/ids.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { Asset } from '#server/domains/assets/stored/kinds.ts';
import { openCallers } from '#server/domains/identity/rights/callers.ts';
import type { WriteContext } from '#server/kernel/contexts.ts';
import { openVault } from '#server/kernel/secrets/vault.ts';
import type { TestDatabase } from '../postgres.ts';

type Task = Record<string, unknown>;

/** A task as workflows hold it, with what goes into it. */
export const task = (name: string, incoming: Record<string, unknown>): Task => ({
  name,
  app: 'WorkFlowEngine',
  type: 'automatic',
  variables: { incoming, outgoing: {} },
  groups: [],
});

export const childJob = (workflow: string, variables: Record<string, unknown> = {}) =>
  task('childJob', { workflow, variables });

/** A workflow of these tasks in sequence. */
export const workflow = (name: string, tasks: Task[] = [], more: Record<string, unknown> = {}): Asset => {
  const ids = ['workflow_start', ...tasks.map((_, at) => (at + 1).toString(16)), 'workflow_end'];
  return {
    name,
    type: 'automation',
    tasks: Object.fromEntries([
      ['workflow_start', { name: 'workflow_start', groups: [] }],
      ...tasks.map((one, at) => [(at + 1).toString(16), one]),
      ['workflow_end', { name: 'workflow_end', groups: [] }],
    ]),
    transitions: Object.fromEntries(
      ids.map((id, at) => {
        const next = ids[at + 1];
        return [id, next ? { [next]: { type: 'standard', state: 'success' } } : {}];
      }),
    ),
    groups: [],
    ...more,
  };
};

/** What a stored workflow has, whoever drew it: an import adds what is not there. */
export const STORED = {
  tags: [],
  createdVersion: '2025.4.0',
  lastUpdatedVersion: '2025.4.1',
  inputSchema: { type: 'object', properties: {}, required: [] },
  outputSchema: { type: 'object', properties: { _id: { type: 'string' } } },
};

/** A sound document of a kind, with nothing in it that others name. */
export function asset(kind: ComponentType, name: string, more: Record<string, unknown> = {}): Asset {
  switch (kind) {
    case 'workflow':
      return workflow(name, [], more);
    case 'template':
      return {
        name,
        group: 'Access ports',
        type: 'jinja2',
        template: 'vlan {{ vlan }}',
        data: '{}',
        ...more,
      };
    case 'transformation':
      return { name, incoming: [], outgoing: [], steps: [], functions: [], comments: [], ...more };
    case 'jsonForm':
      return { name, description: '', struct: {}, schema: { type: 'object' }, uiSchema: {}, ...more };
    case 'mopCommandTemplate':
      return {
        name,
        os: '',
        passRule: true,
        commands: [{ command: 'show version', passRule: true, rules: [] }],
        ...more,
      };
    case 'mopAnalyticTemplate':
      return { name, os: '', passRule: true, prepostCommands: [], ...more };
  }
}

/** Every kind of asset. */
export const EVERY_KIND: readonly ComponentType[] = [
  'workflow',
  'template',
  'transformation',
  'jsonForm',
  'mopCommandTemplate',
  'mopAnalyticTemplate',
];

/** Does the writes of one request, in its transaction, as an admin. */
export const asAdmin = <T>(
  database: Pick<TestDatabase, 'db'>,
  run: (ctx: WriteContext) => Promise<T>,
): Promise<T> =>
  inTransaction(database.db, (db) =>
    run({
      db,
      principal: {
        id: '65f0c1d2e3a4b5c6d7e8f901',
        username: 'ops@local',
        provenance: 'local',
        roles: ['admin'],
        groups: [],
        permissions: [],
        session: null,
      },
      platform: { now: () => new Date(), vault: openVault(Buffer.alloc(32, 1)), access: ACCESS },
      request: { ifMatch: null },
      answer: { headers: {} },
    }),
  );

/** No account but the one above is looked up, and no profile names admins. */
const RULES = { cookieName: '', logoutTime: 60, sessionMaximum: 720, uniqueSession: false, admins: [] };
const ACCESS = {
  callers: openCallers(),
  rules: async () => RULES,
  knownRules: async () => RULES,
  now: () => new Date(),
};

export const uuid = () => randomUUID();
export const objectId = () => newId();
