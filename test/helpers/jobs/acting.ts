import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { rows } from '#db/client.ts';
import type { ProjectMember } from '#db/schemas/assets/project.ts';
import type { Job } from '#db/schemas/workflow/job.ts';
import type { Task } from '#db/schemas/workflow/task.ts';
import type { Trigger } from '#db/schemas/workflow/trigger.ts';
import { insertAsset } from '#server/domains/assets/stored/assets.service.ts';
import { fireDue } from '#server/domains/workflow/jobs/control/schedules.service.ts';
import { asAdmin, asset, objectId } from '../documents/assets.ts';
import { createPerson, type Person, sendAs, signIn } from '../people.ts';
import { task } from '../workflows.ts';
import { openJobs } from './running-jobs.ts';

/** Everything but admin. */
const ROLES = ['apiread', 'apiwrite', 'designer', 'engineering', 'support'] as const;

/** An account that can sign in, with the requests that it makes. */
export type Actor = Person & {
  send: (method: string, path: string, body?: unknown) => ReturnType<typeof sendAs>;
  done: <Data>(method: string, path: string, body?: unknown) => Promise<Data>;
};

/**
 * A service that runs jobs, with a project whose template only its members can read: the task `probe` renders it, and so
 * shows with whose rights it runs.
 */
export async function openActing() {
  const service = await openJobs();

  const actor = async (roles: readonly string[] = ROLES): Promise<Actor> => {
    const person = await createPerson(service, roles);
    const token = await signIn(service, person);
    const send = (method: string, path: string, body?: unknown) => sendAs(service, token, method, path, body);
    const done = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
      const answer = await send(method, path, body);
      if (answer.status !== 200)
        throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      return (answer.json as { data: Data }).data;
    };
    return { ...person, send, done };
  };

  const member = await actor();
  const other = await actor();
  const outsider = await actor();
  const { _id: projectId } = await member.done<{ _id: string }>('POST', '/automation-studio/projects', {
    name: 'Vault',
  });
  const memberOf = ({ id }: Person, role: ProjectMember['role']) => ({
    type: 'account',
    reference: id,
    role,
  });
  await member.done('PATCH', `/automation-studio/projects/${projectId}`, {
    members: [memberOf(member, 'owner'), memberOf(other, 'operator')],
  });
  const secret = await asAdmin(service, (ctx) =>
    insertAsset(ctx, 'template', objectId(), asset('template', 'Secret', { template: 'top secret' }), {
      projectId,
    }),
  );

  /** A task that succeeds only with the rights of a member of the project. */
  const probe = (more: Partial<Task> = {}): Task =>
    task(
      'renderJinjaTemplate',
      { name: secret.name, context: {} },
      { renderedTemplate: '$var.job.revealed' },
      { app: 'TemplateBuilder', type: 'automatic', ...more },
    );

  /** A new automation of a stored workflow, everybody may change it. */
  const automationOf = async (workflow: { _id?: string | undefined; name: string }): Promise<string> => {
    const answer = await service.send('admin', 'POST', '/operations-manager/automations', {
      name: `Automation of ${workflow.name}`,
      componentType: 'workflows',
      componentId: workflow._id,
    });
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json as { data: { _id: string } }).data._id;
  };

  const trigger = (by: Actor, actionId: string, more: Record<string, unknown>): Promise<Trigger> =>
    by.done('POST', '/operations-manager/triggers', { actionType: 'automations', actionId, ...more });
  const schedule = (by: Actor, actionId: string, more: Record<string, unknown> = {}): Promise<Trigger> =>
    trigger(by, actionId, {
      name: `Schedule of ${by.username}`,
      type: 'schedule',
      firstRunAt: Date.now() + 86_400_000,
      repeatUnit: 'day',
      ...more,
    });
  const triggerNow = (id: string): Promise<Trigger> => service.done('GET', `/triggers/${id}`);

  const logged: string[] = [];
  const looking = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });

  /** Let a schedule be due, and the clock look. @returns the job that it started; undefined: none */
  const fire = async (id: string): Promise<Job | undefined> => {
    await service.db.execute(sql`update triggers set doc = doc || jsonb_build_object('nextRunAt', ${Date.now() - 1000}::bigint,
      'firstRunAt', ${Date.now() - 1000}::bigint) where id = ${id}`);
    await fireDue({ db: service.db, platform: service.platform, log: looking });
    const { lastResult } = await triggerNow(id);
    return lastResult?.jobId ? service.job(lastResult.jobId) : undefined;
  };

  /** The job, once nothing of it runs any more. */
  const over = (id: string): Promise<Job> => service.until(id, ({ status }) => status !== 'running');
  const deactivate = async ({ id }: Person, inactive = true) => {
    const answer = await service.send('admin', 'PATCH', `/authorization/accounts/${id}`, {
      updates: { inactive },
    });
    if (answer.status !== 200) throw new Error(answer.text);
  };
  const eventsOf = async (topic: string) => {
    const found = await rows<{ payload: string }>(
      service.db,
      sql`select payload::text as payload from events where topic = ${topic} order by id`,
    );
    return found.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
  };

  return {
    ...service,
    actor,
    member,
    other,
    outsider,
    projectId,
    probe,
    automationOf,
    trigger,
    schedule,
    triggerNow,
    fire,
    /** What the clock left in the log. */ lookedAt: logged,
    over,
    deactivate,
    eventsOf,
  };
}
