import { randomUUID } from 'node:crypto';
import { newId } from '#db/ids.ts';
import { sql } from '#db/statement.ts';
import { findingOf } from '#server/domains/golden-config/compliance/reports/finding.service.ts';
import { fileOf } from '../documents/project-files.ts';
import { storeProposal } from '../documents/remediations.ts';
import { issue, newReport } from '../documents/reports.ts';
import type { openTreeReports } from '../documents/tree-reports.ts';

type Json = Record<string, unknown>;
type Service = Awaited<ReturnType<typeof openTreeReports>>;

/** A document of a tenant, by what a stranger may have learned of it. */
export type Subject = { kind: string; id: string; name: string };

/** Texts that occur in every name, and in every other text, of a tenant's documents. */
export const marksOf = () => ({
  name: `nm${randomUUID().slice(0, 8)}`,
  text: `tx${randomUUID().slice(0, 8)}`,
});

/** Stores a document of every kind that has an access list, for the members of one group, or one project, only. */
export async function storeTenant(service: Service, marks: ReturnType<typeof marksOf>, group: string) {
  const { db, call } = service;
  const subjects: Subject[] = [];
  const gbac = { read: [group], write: [group] };
  const does = async (operation: string, input: Json): Promise<Json> => {
    const { status, text, json } = await call('admin', 'POST', `/trpc/${operation}`, input);
    if (status !== 200) throw new Error(`${operation} answered ${status}: ${text}`);
    const { data } = (json as { result: { data: Json } }).result;
    return data;
  };
  const configures = (method: string, input: Json) => does(`configurationManager.${method}`, input);
  const operates = async (method: string, input: Json) =>
    (await does(`operationsManager.${method}`, input)).data as Json;
  const named = (kind: string) => `${marks.name}-${kind}`;
  const add = (kind: string, id: unknown, name = named(kind)): string => {
    if (typeof id !== 'string') throw new Error(`no id of a ${kind}`);
    subjects.push({ kind, id, name });
    return id;
  };
  const device = named('device');

  const host = { name: device, host: '192.0.2.11', device_type: 'cisco_ios', username: marks.text, gbac };
  await does('automationgateway.createHost', { kind: 'cli', host });

  const tree = await configures('createTree', { name: named('tree'), deviceType: 'cisco-ios' });
  const treeId = add('tree', tree.id);
  const at = { treeId, version: 'initial', nodePath: 'base' };
  await configures('setNodeConfig', {
    treeId,
    treeVersion: 'initial',
    nodePath: 'base',
    data: { template: `hostname ${marks.text}`, variables: { v: marks.text } },
    updateVariables: true,
  });
  await configures('addNodeDevices', { ...at, devices: [device] });
  const node = await configures('getNode', at);
  const specId = add('spec', (node.attributes as Json).configId);
  await configures('updateTree', { treeId, options: { gbac } });

  const backup = {
    id: newId(),
    name: device,
    rawConfig: `hostname ${marks.text}\n`,
    gbac,
    notes: marks.text,
  };
  await configures('importBackups', { backups: [backup] });
  add('backup', backup.id, device);
  const parser = await configures('createParser', {
    name: named('parser'),
    template: 'cisco-ios',
    lexRules: [[marks.text, 'word']],
    gbac,
  });
  add('parser', (parser.parser as Json)._id);
  const deviceGroup = await configures('createDeviceGroup', {
    groupName: named('deviceGroup'),
    groupDescription: marks.text,
    deviceNames: device,
  });
  const deviceGroupId = add('deviceGroup', deviceGroup.id);
  await configures('updateDeviceGroup', { id: deviceGroupId, details: { gbac } });
  await configures('importDeviceTemplates', {
    templates: [{ _id: newId(), name: named('deviceTemplate'), template: `! ${marks.text}\n`, gbac }],
  });
  const found = await configures('searchDeviceTemplates', { name: named('deviceTemplate') });
  const [template] = (found.list ?? found.results ?? found) as { _id: string }[];
  add('deviceTemplate', template?._id);
  const plan = await configures('createPlan', {
    name: named('plan'),
    options: { gbac, description: marks.text },
  });
  const planId = add('plan', plan.id);

  const now = new Date();
  const [instance, batchId] = [newId(), newId()];
  const ran = { _id: instance, id: instance, planId, name: named('plan'), description: marks.text };
  const times = { started: now.toISOString(), finished: now.toISOString() };
  const doc = JSON.stringify({ ...ran, ...times, jobStatus: 'complete', batchId, nodes: [] });
  await db.execute(
    sql`insert into compliance_plan_instances (id, doc) values (${instance}, ${doc}::text::jsonb)`,
  );
  add('planInstance', instance, named('plan'));
  await db.execute(
    sql`insert into compliance_batch (id, status, total, done, started, finished, request, tree_ids)
        values (${batchId}, 'complete', 1, 1, ${times.started}::timestamptz, now(), '{"places":[]}', array[${treeId}])`,
  );
  add('batch', batchId, device);
  const totals = { errors: 1, warnings: 0, infos: 0, passes: 0 };
  const [report = newReport()] = await service.store(treeId, {
    batchId,
    timestamp: now,
    deviceName: device,
    specId,
    backupId: backup.id,
    totals: [1, 0, 0, 0],
    findings: findingOf([issue(marks.text, { specId })], [{ specId, nodePath: 'base', ...totals }]),
  });
  add('report', report.id, device);
  const proposal = { reportId: report.id, deviceName: device, treeId, config: marks.text };
  add('remediation', await storeProposal(db, { ...proposal, backupId: backup.id }), device);

  const file = JSON.parse(
    JSON.stringify(fileOf(named('project'))).replaceAll(
      /(: |")(Parent|Child|Form|Builder|Check|Compare|Config)"/g,
      `$1${marks.name} $2"`,
    ),
  ) as ReturnType<typeof fileOf>;
  for (const { document } of file.components) document.description = marks.text;
  const imported = await does('automationStudio.importProject', {
    project: { ...file, description: marks.text },
  });
  const project = imported.data as { _id: string; components: { type: string; reference: string }[] };
  add('project', project._id);
  const { caller } = await service.callerWith('admin');
  await does('automationStudio.updateProject', {
    projectId: project._id,
    members: [
      { type: 'account', role: 'owner', reference: caller.id },
      { type: 'group', role: 'operator', reference: group },
    ],
  });
  const own = (name: string) => `@${project._id}: ${marks.name} ${name}`;
  const called = ['Parent', 'Child', 'Form', 'Builder', 'Check', 'Compare', 'Config'];
  for (const [at, { type, reference }] of project.components.entries()) {
    add(type, reference, own(called[at] ?? ''));
  }
  const job = await operates('startJob', {
    workflow: own('Child'),
    options: { description: marks.text, variables: { v: marks.text } },
  });
  add('job', job._id, own('Child'));

  const automation = await operates('createAutomation', {
    automation: {
      name: named('automation'),
      description: marks.text,
      componentType: 'workflows',
      componentName: own('Child'),
      gbac,
    },
  });
  const actionId = add('automation', automation._id);
  const route = { type: 'endpoint', routeName: named('route') };
  for (const more of [route, { type: 'manual' }, { type: 'schedule', firstRunAt: 4_102_444_800_000 }]) {
    const trigger = { name: named('route'), description: marks.text, actionId, ...more };
    add('trigger', (await operates('createTrigger', { trigger }))._id, named('route'));
  }
  return { subjects, members: { treeId, specId, device, planId, reportId: report.id } };
}
