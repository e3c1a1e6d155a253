import { expect, test } from 'vitest';
import type { z } from 'zod';
import { InstalledPrebuilt, Prebuilt, PrebuiltUpdate } from '#db/schemas/assets/prebuilt.ts';
import { ExportedProject, Project } from '#db/schemas/assets/project.ts';
import { Backup, BackupItem, ListedBackup } from '#db/schemas/golden-config/backup.ts';
import { GradedGroup, GradingOptions, HistoryRecord } from '#db/schemas/golden-config/compliance.ts';
import { ConfigParser, ParserQuery } from '#db/schemas/golden-config/config-parser.ts';
import { GoldenTree, TreeImport, TreeUpdate, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { Account, Group, Role, WhoAmI } from '#db/schemas/identity/account.ts';
import { View, ViewsQuery } from '#db/schemas/identity/view.ts';
import { Adapter, OrchestratorConnection } from '#db/schemas/network/adapter.ts';
import { AnalyticTemplate, CommandTemplate } from '#db/schemas/network/mop-template.ts';
import { Ned } from '#db/schemas/network/ned.ts';
import { ApplicationEntry } from '#db/schemas/operations/application.ts';
import { AuditEntry } from '#db/schemas/operations/audit.ts';
import { ProfileEntry } from '#db/schemas/operations/profile.ts';
import { ServerHealth } from '#db/schemas/operations/server-health.ts';
import { Done, Name, ObjectId, Timestamp } from '#db/schemas/primitives.ts';
import { Automation, ExportedAutomation } from '#db/schemas/workflow/automation.ts';
import { Job } from '#db/schemas/workflow/job.ts';
import { ImportedTrigger, Trigger } from '#db/schemas/workflow/trigger.ts';
import { Workflow } from '#db/schemas/workflow/workflow.ts';
import * as invented from './invented.ts';
import * as platform from './invented-platform.ts';

const id = '0123456789abcdefABCDEF01';
const when = '2026-02-03T04:05:06.789Z';
const parser = {
  name: 'lab-os',
  template: 'cisco-ios',
  lexRules: [['\\S+', 'word']],
  gbac: {},
  updated: when,
};
const record = {
  deviceName: 'edge-1',
  reportId: id,
  nodePath: 'base',
  timestamp: when,
  score: -53.85,
  grade: 'fail',
};
const graded = { grade: 'fail', total: 1, devices: ['edge-1'], records: [record], 'x-kept': 1 };
const history = {
  ...{
    id,
    batchId: null,
    treeId: id,
    version: 'initial',
    nodePath: 'base',
    deviceName: 'edge-1',
    timestamp: when,
  },
  totals: { errors: 1, warnings: 2, infos: 0, passes: 7 },
};

const accepted: [string, z.ZodType, unknown][] = [
  ['an imported backup', BackupItem, invented.backup],
  ['a backup without id', BackupItem, { name: 'edge-1', rawConfig: '' }],
  ['a stored backup', Backup, { ...invented.backup, sha256: 'ab', size: 18 }],
  ['a listed backup', ListedBackup, { id, name: 'edge-1', date: when }],
  ['a golden tree', GoldenTree, invented.treeSummary],
  ['a tree version', TreeVersion, invented.treeVersion],
  ['an exported tree', TreeImport, { data: [invented.treeVersion], overwrite: true, status: 'success' }],
  ['a config parser', ConfigParser, parser],
  ['a graded group', GradedGroup, graded],
  ['a history record', HistoryRecord, history],
  ['a workflow', Workflow, invented.workflow],
  ['a job', Job, invented.job],
  ['a project', Project, invented.project],
  ['an exported project', ExportedProject, { ...invented.project, _id: undefined, folders: null }],
  ['a package', Prebuilt, invented.prebuilt],
  ['a part of a package', PrebuiltUpdate, { readme: '' }],
  ['a command template', CommandTemplate, invented.commandTemplate],
  ['an analytic template', AnalyticTemplate, invented.analyticTemplate],
  ['an automation', Automation, invented.automation],
  ['an exported automation', ExportedAutomation, invented.exportedAutomation],
  ['a manual trigger', Trigger, invented.triggers[0]],
  ['an endpoint trigger', Trigger, invented.triggers[1]],
  ['an event trigger', Trigger, invented.triggers[2]],
  ['a schedule trigger', Trigger, invented.triggers[3]],
  ['a new trigger', ImportedTrigger, { type: 'manual', name: 'By hand' }],
  ['a profile', ProfileEntry, platform.profile],
  ['an application', ApplicationEntry, platform.application],
  ['an adapter', Adapter, platform.adapter],
  ['an orchestrator connection', OrchestratorConnection, platform.orchestratorConnection],
  ['a group', Group, platform.group],
  ['an account', Account, platform.account],
  ['a role', Role, platform.role],
  ['the caller', WhoAmI, platform.whoAmI],
  ['an installed package', InstalledPrebuilt, platform.installedPrebuilt],
  ['the health of a server', ServerHealth, platform.serverHealth],
  [
    'a driver',
    Ned,
    { ned_id: 'x-ios-1.0:x-ios-1.0', name: 'x-ios-1.0', version: '1.0.3', host: 'orch-east' },
  ],
  ['a view', View, { path: '/operations-manager/', provenance: 'OperationsManager', 'x-view': 1 }],
  ['an audit entry', AuditEntry, platform.auditEntry],
  ['an answer with more to tell', Done, { status: 'success', message: 'Done', warnings: [] }],
];

test.each(accepted)('%s comes back as it was, unknown fields and all', (_, schema, document) => {
  const before = structuredClone(document);
  expect(schema.parse(document)).toEqual(before);
});

const changed = (document: object, path: (string | number)[], value: unknown) => {
  const copy: object = JSON.parse(JSON.stringify(document));
  const last = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => Reflect.get(Object(at), key), copy);
  Reflect.set(Object(parent), last, value);
  return copy;
};

const rejected: [z.ZodType, object, (string | number)[], unknown][] = [
  [BackupItem, invented.backup, ['rawConfig'], 5],
  [BackupItem, invented.backup, ['rawConfig'], undefined],
  [BackupItem, invented.backup, ['name'], ''],
  [BackupItem, invented.backup, ['id'], 'xyz'],
  [BackupItem, invented.backup, ['date'], 'yesterday'],
  [BackupItem, invented.backup, ['date'], '2026-02-03T04:05:06+01:00'],
  [BackupItem, invented.backup, ['gbac'], 'everyone'],
  [BackupItem, invented.backup, ['gbac', 'read', 0], 7],
  [TreeImport, { data: [invented.treeVersion] }, ['data', 0, 'root', 'children', 0, 'name'], 5],
  [
    TreeVersion,
    invented.treeVersion,
    ['root', 'attributes', 'export', 'lines', 0, 'lines', 0, 'evalMode'],
    'denied',
  ],
  [TreeVersion, invented.treeVersion, ['variables'], []],
  [GoldenTree, invented.treeSummary, ['versions'], 'initial'],
  [ConfigParser, parser, ['lexRules', 0, 1], 'number'],
  [GradedGroup, graded, ['total'], -1],
  [GradedGroup, graded, ['records', 0, 'score'], Number.POSITIVE_INFINITY],
  [HistoryRecord, history, ['totals', 'errors'], 1.5],
  [Workflow, invented.workflow, ['tasks'], []],
  [Workflow, invented.workflow, ['tasks', 'a1', 'retrySettings', 'limit'], '3'],
  [Workflow, invented.workflow, ['transitions', 'workflow_start', 'a1', 'state'], 'maybe'],
  [Job, invented.job, ['status'], 'incomplete'],
  [Job, invented.job, ['tasks', 'a1', 'finish_state'], 'paused'],
  [Job, invented.job, ['ancestors', 0], 'a1'],
  [Project, invented.project, ['members', 0, 'role'], 'king'],
  [Project, invented.project, ['folders', 0, 'children', 0, 'children', 0, 'iid'], '1'],
  [Project, invented.project, ['folders', 0, 'nodeType'], 'file'],
  [Prebuilt, invented.prebuilt, ['bundles'], {}],
  [Prebuilt, invented.prebuilt, ['metadata', 'gitlabId'], '7'],
  [Prebuilt, invented.prebuilt, ['metadata', 'keywords'], 'ios'],
  [Prebuilt, invented.prebuilt, ['manifest', 'artifacts', 0, 'id'], ''],
  [CommandTemplate, invented.commandTemplate, ['commands', 0, 'rules', 0, 'severity'], 'fatal'],
  [CommandTemplate, invented.commandTemplate, ['created'], when],
  [AnalyticTemplate, invented.analyticTemplate, ['prepostCommands', 0, 'passRule'], 'true'],
  [Trigger, invented.triggers[1] ?? {}, ['routeName'], 'a/b'],
  [Trigger, invented.triggers[3] ?? {}, ['repeatUnit'], 'fortnight'],
  [Trigger, invented.triggers[0] ?? {}, ['type'], 'telepathy'],
  [ProfileEntry, platform.profile, ['profile', 'expressProps', 'express_https', 'port'], '3443'],
  [ProfileEntry, platform.profile, ['profile', 'alarmProps', 0, 'type'], 'shout'],
  [ApplicationEntry, platform.application, ['data', 'eventDeduplication', 'uniqueProps'], '/id'],
  [Adapter, platform.adapter, ['name'], '1st'],
  [AuditEntry, platform.auditEntry, ['outcome'], 'perhaps'],
  [ServerHealth, platform.serverHealth, ['versions', 'tz'], undefined],
  [ServerHealth, platform.serverHealth, ['arch'], 'pdp11'],
  [Account, platform.account, ['assignedRoles', 0, 'roleId'], 1],
];

test.each(
  rejected.map(([schema, document, path, value]) => ({ at: path.join('.'), schema, document, path, value })),
)('a wrong $at is rejected, and named', ({ schema, document, path, value }) => {
  const { error } = schema.safeParse(changed(document, path, value));
  expect(error?.issues.map((issue) => issue.path)).toEqual([path]);
});

test.each([
  ['a tree update', TreeUpdate, { nmae: 'x' }, ['nmae']],
  ['the access list of a tree update', TreeUpdate, { gbac: { reads: [] } }, ['gbac', 'reads']],
  ['grading options', GradingOptions, { threshold: 1 }, ['threshold']],
  ['weights', GradingOptions, { weights: { errors: 1 } }, ['weights', 'errors']],
  ['a query of parsers', ParserQuery, { filter: { names: '' } }, ['filter', 'names']],
  ['a query of views', ViewsQuery, { multiEquals: { route: '' } }, ['multiEquals', 'route']],
] as const)('%s rejects an unknown property, and names it', (_, schema, options, path) => {
  const issues = schema.safeParse(options).error?.issues ?? [];
  expect(
    issues.map((issue) => [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys : [])]),
  ).toEqual([path]);
});

test.each(['', ' edge', 'edge ', 'a\u0000b', 'a\nb', 'a\u0085b', '\ud800', 'x'.repeat(256)])(
  'the name %j is rejected',
  (name) => {
    expect(Name.safeParse(name).success).toBe(false);
  },
);

test.each(['Édge 1', '@65f0c1d2e3a4b5c6d7e8f901: Upgrade', '😀', 'x'.repeat(255)])(
  'the name %j is accepted',
  (name) => {
    expect(Name.parse(name)).toBe(name);
  },
);

test('an id keeps its case, and is 24 hexadecimal characters', () => {
  expect(ObjectId.parse(id)).toBe(id);
  for (const wrong of [id.slice(1), `${id}0`, id.replace('0', 'g'), `${id}\n`]) {
    expect(ObjectId.safeParse(wrong).success).toBe(false);
  }
});

test('a time is on a day that exists, in UTC', () => {
  expect(Timestamp.parse('2026-02-28T23:59:59Z')).toBe('2026-02-28T23:59:59Z');
  for (const wrong of [
    '2026-02-29T00:00:00Z',
    '2026-02-28',
    '2026-02-28T10:00:00',
    '2026-02-28T10:00:00+00:00',
  ]) {
    expect(Timestamp.safeParse(wrong).success).toBe(false);
  }
});
