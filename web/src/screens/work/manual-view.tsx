import type { Outputs } from '~/api/client.ts';
import { Badge } from '~/ui/badge.tsx';
import { DiffView } from '~/ui/code/editor.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';

export type Controller = Outputs['operationsManager']['getManualController']['data'];

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

/** Fills `<!name!>` in a text of the workflow. */
function filled(text: unknown, variables: unknown): string {
  if (typeof text !== 'string') return '';
  const values = typeof variables === 'object' && variables !== null ? variables : {};
  return text.replace(/<!\s*([\w.-]+)\s*!>/g, (mark, name: string) =>
    Object.hasOwn(values, name) ? asText((values as Record<string, unknown>)[name]) : mark,
  );
}

/** What a task shows: its heading and text, then its data in the form that suits the task. */
export function ManualView({ name, incoming }: { name: string; incoming: Controller['incoming'] }) {
  const { header, message, variables } = incoming;
  const heading = filled(header, variables);
  const text = filled(message, variables);
  return (
    <>
      {heading && <h2>{heading}</h2>}
      {text && <p>{text}</p>}
      <ManualData name={name} incoming={incoming} />
    </>
  );
}

function ManualData({ name, incoming }: { name: string; incoming: Controller['incoming'] }) {
  if (name === 'ViewDiff') {
    return <DiffView label="Difference" before={asText(incoming.left)} after={asText(incoming.right)} />;
  }
  if (name === 'runTemplatesDiff') {
    return <DiffView label="Difference" before={asText(incoming.pre)} after={asText(incoming.post)} />;
  }
  if (name === 'ErrorHandling') {
    return (
      <>
        {typeof incoming.severity === 'string' && <Badge tone="bad">{incoming.severity}</Badge>}
        <JsonView label="Error" value={incoming.error} />
      </>
    );
  }
  if (name === 'ViewData') {
    const body = incoming.body ?? incoming.variables;
    return body === undefined || body === null || body === '' ? null : (
      <JsonView label="Data" value={body} fileName="data.json" />
    );
  }
  const { header: _header, message: _message, btn_success: _yes, btn_failure: _no, ...rest } = incoming;
  return Object.keys(rest).length > 0 ? <JsonView label="Data" value={rest} fileName="data.json" /> : null;
}
