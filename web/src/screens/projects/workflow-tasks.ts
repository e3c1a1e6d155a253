import type { Outputs } from '~/api/client.ts';

type Workflow = Outputs['automationStudio']['listWorkflows']['items'][number];

/** A task of a workflow with the tasks that follow it. */
export type TaskRow = {
  key: string;
  summary: string;
  /** Application and method, such as `AutomationGateway.sendCommand`. */
  method: string;
  type: string;
  next: { to: string; on: string }[];
};

type Fields = Record<string, unknown>;

/** Returns the tasks of a workflow in the order in which transitions reach them; unreachable ones come last. */
export function taskRows({ tasks = {}, transitions = {} }: Workflow): TaskRow[] {
  const order: string[] = [];
  const waiting = ['workflow_start'];
  for (let key = waiting.shift(); key !== undefined; key = waiting.shift()) {
    if (order.includes(key) || !(key in tasks)) continue;
    order.push(key);
    waiting.push(...Object.keys(transitions[key] ?? {}));
  }
  const rest = Object.keys(tasks).filter((key) => !order.includes(key));
  return [...order, ...rest].map((key) => {
    const task = (tasks[key] ?? {}) as Fields;
    const text = (name: string) => (typeof task[name] === 'string' ? task[name] : '');
    return {
      key,
      summary: text('summary') || text('name'),
      method: text('app') ? `${text('app')}.${text('name')}` : '',
      type: text('type'),
      next: Object.entries(transitions[key] ?? {}).map(([to, transition]) => ({
        to,
        on: String((transition as Fields).state ?? 'success'),
      })),
    };
  });
}
