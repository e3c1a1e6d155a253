import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { Checkbox, TextArea, TextField } from '~/ui/fields.tsx';
import { namesIn } from '~/ui/inputs/lines.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { Arriving } from '~/ui/states.tsx';
import type { Plan } from './runner.ts';
import { TemplateForm } from './templates/template-form.tsx';

type Credentials = { username: string; password: string };

type PlanFormProps = {
  /** Number of devices that are chosen. */
  count: number;
  isGateway: boolean;
  isRunning: boolean;
  onRun: (plan: Plan) => void;
  onStop: () => void;
};

/** What is run: commands that are typed, or a stored command template. */
export function PlanForm({ count, isGateway, isRunning, onRun, onStop }: PlanFormProps) {
  const may = useMay();
  const [template, setTemplate] = useState('');
  const [text, setText] = useState('');
  const [variables, setVariables] = useState('');
  const [credentials, setCredentials] = useState<Credentials>();
  const [isSaving, setSaving] = useState(false);
  const templates = useQuery(trpc.mop.listTemplates.queryOptions({}, { enabled: may('mop.listTemplates') }));
  const commands = namesIn(text);
  const values = variablesOf(variables);
  const isReady = count > 0 && (template ? values !== undefined : commands.length > 0);
  const what = template
    ? `“${template}”`
    : `${commands.length} ${commands.length === 1 ? 'command' : 'commands'}`;
  const run = () =>
    onRun(
      template
        ? { kind: 'template', template, variables: values ?? {} }
        : { kind: 'commands', commands, ...(credentials && { credentials }) },
    );
  return (
    <section className="card" aria-label="Commands">
      <h2>Commands</h2>
      <SelectField
        label="Command template"
        from={templates}
        value={template}
        onChange={setTemplate}
        choices={[
          { value: '', label: 'None: commands typed below' },
          ...(templates.data ?? []).map(({ name }) => ({ value: name, label: name })),
        ]}
      />
      {template ? (
        <TextArea
          label="Variables"
          hint="A JSON object; may be left empty."
          value={variables}
          onChange={setVariables}
          rows={3}
          isCode
          problem={values === undefined ? 'This is not a JSON object.' : undefined}
        />
      ) : (
        <TextArea
          label="Commands to send"
          hint="One command per line."
          placeholder="show version"
          value={text}
          onChange={setText}
          rows={5}
          isCode
        />
      )}
      {isGateway && !template && <CredentialFields credentials={credentials} onChange={setCredentials} />}
      <div className="row">
        {isRunning ? (
          <Button onPress={onStop}>Stop</Button>
        ) : (
          <Button variant="primary" onPress={run} isDisabled={!isReady}>
            Run {what} on {count.toLocaleString('en')} {count === 1 ? 'device' : 'devices'}
          </Button>
        )}
        {may('mop.createTemplate') && !template && (
          <Button onPress={() => setSaving(true)} isDisabled={commands.length === 0}>
            Save as command template
          </Button>
        )}
        {may('mop.listTemplates') && <LinkButton to="/command-templates">Command templates</LinkButton>}
      </div>
      {templates.isLoading && <Arriving />}
      {isSaving && <TemplateForm commands={commands} onClose={() => setSaving(false)} />}
    </section>
  );
}

/** Another account for the devices, if one is wanted. */
function CredentialFields({
  credentials,
  onChange,
}: {
  credentials: Credentials | undefined;
  onChange: (credentials: Credentials | undefined) => void;
}) {
  return (
    <>
      <Checkbox
        label="Sign in with another account"
        isChecked={credentials !== undefined}
        onChange={(isWanted) => onChange(isWanted ? { username: '', password: '' } : undefined)}
      />
      {credentials && (
        <div className="columns narrow">
          <TextField
            label="Device username"
            value={credentials.username}
            onChange={(username) => onChange({ ...credentials, username })}
            autoComplete="off"
          />
          <TextField
            label="Device password"
            hint="Used for this run only, and not stored."
            type="password"
            value={credentials.password}
            onChange={(password) => onChange({ ...credentials, password })}
            autoComplete="new-password"
          />
        </div>
      )}
    </>
  );
}

/** Returns the variables in a text; undefined when it is no JSON object. */
function variablesOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
