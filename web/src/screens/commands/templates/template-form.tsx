import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { withPart } from '~/ui/form/with-part.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { CHECKS } from '../checks.ts';
import { TemplateTrial } from './template-trial.tsx';

export type Template = Outputs['mop']['listTemplates'][number];
type Command = NonNullable<Template['commands']>[number];
type Rule = NonNullable<Command['rules']>[number];

const SEVERITIES = ['error', 'warning', 'info'] as const;

const NEW_COMMAND: Command = { command: '', passRule: true, rules: [] };

type TemplateFormProps = {
  /** The template that is changed; absent: a new one. */
  template?: Template;
  /** The commands of a new one. */
  commands?: readonly string[];
  onClose: () => void;
};

/** Creates a command template, or changes one; what the form does not show of it stays as it is stored. */
export function TemplateForm({ template, commands, onClose }: TemplateFormProps) {
  const may = useMay();
  const refresh = useRefresh(trpc.mop.listTemplates.pathFilter());
  // What is stored may change while the form is open: what it held at first is what this user changes.
  const [stored, setStored] = useState(template);
  const [draft, change] = useDraft({
    name: template?.name ?? '',
    os: template?.os ?? '',
    description: template?.description ?? '',
    passRule: template?.passRule ?? true,
    commands: template?.commands ??
      (commands?.map((command) => ({ ...NEW_COMMAND, command })) as Command[] | undefined) ?? [NEW_COMMAND],
  });
  const name = draft.name.trim();
  const sent = draft.commands.filter(({ command }) => command.trim() !== '');
  return (
    <FormDialog
      title={template ? 'Change command template' : 'Create command template'}
      action="Save template"
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name !== '' && sent.length > 0}
      onSubmit={async () => {
        const mop = { ...stored, ...draft, name, os: draft.os.trim(), commands: sent };
        if (!stored) await api.mop.createTemplate.mutate({ mop });
        else {
          await saveOver(
            stored.lastUpdated,
            (options) => api.mop.updateTemplate.mutate({ mopID: stored.name, mop }, options),
            async () => setStored((await api.mop.listATemplate.query({ name: stored.name }))[0]),
          );
        }
        await refresh();
        showToast(`The command template ${name} is stored.`);
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'name', label: 'Name', isRequired: true, autoFocus: true },
          { key: 'os', label: 'Platform', hint: 'Such as cisco-ios; empty: any' },
          { key: 'description', label: 'Description' },
        ]}
      />
      {draft.commands.map((command, at) => (
        <CommandFields
          // biome-ignore lint/suspicious/noArrayIndexKey: commands have no other identity, and may be equal
          key={at}
          number={at + 1}
          command={command}
          onChange={(next) => change({ commands: withPart(draft.commands, at, next) })}
        />
      ))}
      <div className="row">
        <Button onPress={() => change({ commands: [...draft.commands, NEW_COMMAND] })}>Add command</Button>
      </div>
      <Checkbox
        label="Every command must pass; otherwise one is enough"
        isChecked={draft.passRule}
        onChange={(passRule) => change({ passRule })}
      />
      {may('mop.testTemplate') && (
        <details>
          <summary>Try it on pasted outputs</summary>
          <TemplateTrial template={{ ...stored, passRule: draft.passRule, commands: sent }} />
        </details>
      )}
    </FormDialog>
  );
}

type CommandFieldsProps = {
  number: number;
  command: Command;
  onChange: (command: Command | undefined) => void;
};

function CommandFields({ number, command, onChange }: CommandFieldsProps) {
  const { rules = [] } = command;
  return (
    <fieldset className="check-list column">
      <legend className="visually-hidden">Command {number}</legend>
      <TextField
        label={`Command ${number}`}
        hint="<!name!> is replaced by a variable"
        value={command.command}
        onChange={(text) => onChange({ ...command, command: text })}
      />
      {rules.map((rule, at) => (
        <RuleFields
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other identity, and may be equal
          key={at}
          name={`${number}.${at + 1}`}
          rule={rule}
          onChange={(next) => onChange({ ...command, rules: withPart(rules, at, next) })}
        />
      ))}
      {rules.length > 1 && (
        <Checkbox
          label="Every check must pass; otherwise one is enough"
          isChecked={command.passRule ?? true}
          onChange={(passRule) => onChange({ ...command, passRule })}
        />
      )}
      <div className="row">
        <Button
          onPress={() =>
            onChange({ ...command, rules: [...rules, { rule: '', eval: 'contains', severity: 'error' }] })
          }
        >
          Add check of command {number}
        </Button>
        <Button onPress={() => onChange(undefined)}>Remove command {number}</Button>
      </div>
    </fieldset>
  );
}

type RuleFieldsProps = { name: string; rule: Rule; onChange: (rule: Rule | undefined) => void };

function RuleFields({ name, rule, onChange }: RuleFieldsProps) {
  const isComparison = rule.eval === '#comparison';
  return (
    <div className="columns narrow">
      <SelectField
        label={`Check ${name}: the output`}
        value={rule.eval}
        onChange={(next) => onChange({ ...rule, eval: next })}
        choices={
          CHECKS.some(({ value }) => value === rule.eval)
            ? CHECKS
            : [...CHECKS, { value: rule.eval, label: rule.eval }]
        }
      />
      <TextField
        label={`Text ${name}`}
        value={rule.rule}
        onChange={(text) => onChange({ ...rule, rule: text })}
      />
      {isComparison && (
        <>
          <TextField
            label={`Operator ${name}`}
            hint="Such as =, < or %"
            value={rule.evaluator ?? '='}
            onChange={(evaluator) => onChange({ ...rule, evaluator })}
          />
          <TextField
            label={`Second expression or value ${name}`}
            value={rule.ruleB ?? ''}
            onChange={(ruleB) => onChange({ ...rule, ruleB })}
          />
        </>
      )}
      <SelectField
        label={`Severity ${name}`}
        value={rule.severity ?? 'error'}
        onChange={(severity) => onChange({ ...rule, severity })}
        choices={SEVERITIES.map((value) => ({ value, label: value }))}
      />
      <div className="row">
        <Button onPress={() => onChange(undefined)}>Remove check {name}</Button>
      </div>
    </div>
  );
}
