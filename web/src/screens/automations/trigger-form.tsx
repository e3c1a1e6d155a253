import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { problemOfRead } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useSettled } from '~/api/use-settled.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextField } from '~/ui/fields.tsx';
import { JsonField } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { saveOver } from '~/ui/form/save-over.ts';
import { useDraft } from '~/ui/form/use-draft.ts';
import { CompletedField } from '~/ui/inputs/completed-field.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { draftOf } from '~/ui/schedule/schedule-draft.ts';
import { ProblemNote } from '~/ui/states.tsx';
import { InputFields, useInputValues } from './input-values.tsx';
import { changesOf, eventKey, newTriggerOf, type TriggerDraft, triggerDraftOf } from './trigger-draft.ts';
import type { Trigger } from './trigger-state.tsx';
import { TriggerTimes } from './trigger-times.tsx';

type Data = Record<string, unknown>;

const TYPES: { value: Trigger['type']; label: string }[] = [
  { value: 'manual', label: 'A user' },
  { value: 'schedule', label: 'A schedule' },
  { value: 'endpoint', label: 'An HTTP call' },
  { value: 'eventSystem', label: 'An event' },
];

const NIGHTLY = { calendar: { every: 'day', at: '02:30' } } as const;

type TriggerFormProps = {
  actionId: string;
  /** The trigger that is changed; absent: one is created. */
  stored?: Trigger;
  onClose: () => void;
};

/** Creates a trigger of an automation, or changes one: what starts it, and with which input. */
export function TriggerForm({ actionId, stored, onClose }: TriggerFormProps) {
  const refresh = useRefresh(trpc.operationsManager.listTriggers.pathFilter());
  // What is stored may change while the form is open: what it held at first says what this user changes.
  const [opened] = useState(() => ({
    draft: triggerDraftOf(stored),
    rule: draftOf((stored?.type === 'schedule' && stored.schedule) || NIGHTLY),
    input: ((stored && 'formData' in stored && stored.formData) || {}) as Data,
  }));
  const [draft, change] = useDraft<TriggerDraft>(opened.draft);
  const [rule, changeRule] = useDraft(opened.rule);
  const [stamp, setStamp] = useState(stored?.lastUpdated);
  const { type } = draft;
  const hasForm = type === 'manual' || type === 'schedule';
  const formId = useSettled(draft.formId.trim());
  const form = useQuery({
    ...trpc.jsonForms.getForm.queryOptions({ id: formId }, { retry: false }),
    enabled: hasForm && formId !== '',
  });
  const schema = formId === '' ? undefined : form.data?.schema;
  // Who presses Run completes the form: what is stored with it need not be complete.
  const shownSchema = type === 'manual' && schema ? withoutRequired(schema) : schema;
  const input = useInputValues({ schema: shownSchema, uiSchema: form.data?.uiSchema }, opened.input);
  const isSchemaRead = parseObject(draft.schema).problem === undefined;
  const parts = { rule, input: input.values ?? {}, stored };
  const isComplete = input.values !== undefined && isSchemaRead;
  const created = isComplete ? newTriggerOf(draft, parts) : undefined;
  const submit = async () => {
    if (type === 'schedule') await input.check();
    const { createTrigger, updateTrigger, getTrigger } = api.operationsManager;
    if (!stored) {
      if (created) {
        await createTrigger.mutate({ trigger: { ...created, actionType: 'automations', actionId } });
        showToast('The trigger is created');
      }
    } else {
      const id = stored._id;
      const before = { draft: opened.draft, parts: { rule: opened.rule, input: opened.input, stored } };
      const trigger = changesOf(before, { draft, parts }) ?? {};
      await saveOver(
        stamp,
        (options) => updateTrigger.mutate({ id, trigger }, options),
        async () => setStamp((await getTrigger.query({ id })).data.lastUpdated),
      );
      showToast('The trigger is saved');
    }
    await refresh();
  };
  const isByItself = type === 'schedule' || type === 'eventSystem';
  return (
    <FormDialog
      title={stored ? `Change trigger ${stored.name}` : 'Create trigger'}
      action={stored ? 'Save' : 'Create trigger'}
      size={type === 'schedule' ? 'wide' : 'normal'}
      isOpen
      onClose={onClose}
      isReady={created !== undefined}
      onSubmit={submit}
    >
      <TextField label="Name" value={draft.name} onChange={(name) => change({ name })} isRequired autoFocus />
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => change({ description })}
      />
      <Checkbox label="Enabled" isChecked={draft.isEnabled} onChange={(isEnabled) => change({ isEnabled })} />
      {stored ? (
        <p className="muted">
          Started by: {TYPES.find(({ value }) => value === type)?.label.toLowerCase()}. Another start needs
          another trigger.
        </p>
      ) : (
        <SelectField
          label="Started by"
          value={type}
          onChange={(next) => change({ type: next })}
          choices={TYPES}
        />
      )}
      {type === 'endpoint' && (
        <TextField
          label="Route"
          hint="Last part of the path: POST /operations-manager/triggers/endpoint/ROUTE"
          value={draft.routeName}
          onChange={(routeName) => change({ routeName })}
          isRequired
        />
      )}
      {type === 'eventSystem' && <EventField value={draft.event} onChange={(event) => change({ event })} />}
      {type === 'schedule' && (
        <TriggerTimes draft={draft} onChange={change} rule={rule} onRuleChange={changeRule} />
      )}
      {hasForm && <FormField value={draft.formId} onChange={(next) => change({ formId: next })} />}
      {hasForm && form.error && formId !== '' && <ProblemNote problem={problemOfRead(form.error)} />}
      {hasForm && (type === 'schedule' || schema || Object.keys(opened.input).length > 0) && (
        <InputFields
          state={input}
          label="Input values"
          hint="A JSON object. A secret is shown as a mask; leave the mask to keep it"
        />
      )}
      {!hasForm && (
        <>
          <JsonField
            label="Schema of the input"
            hint="A JSON schema that the input must meet; empty: any input"
            text={draft.schema}
            onChange={(text) => change({ schema: text })}
            rows={4}
          />
          <TransformationField
            value={draft.transformation}
            onChange={(transformation) => change({ transformation })}
          />
        </>
      )}
      <Checkbox
        label="Input values become job variables of their own"
        isChecked={draft.isSeparate}
        onChange={(isSeparate) => change({ isSeparate })}
      />
      {isByItself && <p className="muted small">It runs for your account, with your rights.</p>}
    </FormDialog>
  );
}

/** Returns a JSON schema without required fields. */
const withoutRequired = (schema: Data): Data =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'required' && Array.isArray(value) ? undefined : value,
    ),
  );

/** The name of a form, with those that exist as completions. */
function FormField({ value, onChange }: { value: string; onChange: (formId: string) => void }) {
  const mayList = useMay()('jsonForms.listForms');
  const forms = useQuery(trpc.jsonForms.listForms.queryOptions({}, { enabled: mayList }));
  return (
    <CompletedField
      label="Form"
      hint="The name of a form for the input; empty: none"
      value={value}
      onChange={onChange}
      completions={forms.data?.map(({ name }) => name)}
      from={forms}
    />
  );
}

/** Most transformations that are offered. */
const OFFERED = 500;

/** One of the transformations, by their names; the stored one stays for an account that may not list them. */
function TransformationField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const may = useMay();
  const found = useQuery(
    trpc.transformations.listTransformations.queryOptions(
      { queryOptions: { limit: OFFERED, sort: 'name' } },
      { enabled: may('transformations.listTransformations') },
    ),
  );
  const choices = (found.data?.results ?? []).map(({ _id, name }) => ({
    value: String(_id),
    label: name,
  }));
  const isOther = value !== '' && !choices.some((one) => one.value === value);
  return (
    <SelectField
      label="Transformation of the input"
      from={found}
      hint="It turns the input into the job variables"
      value={value}
      onChange={onChange}
      choices={[
        { value: '', label: 'None: use the input as it is' },
        ...(isOther ? [{ value, label: found.isPending ? 'Loading …' : `Transformation ${value}` }] : []),
        ...choices,
      ]}
    />
  );
}

/** One of the events that triggers can wait for. */
function EventField({ value, onChange }: { value: string; onChange: (event: string) => void }) {
  const events = useQuery(trpc.operationsManager.listEvents.queryOptions({}));
  const choices = new Map(
    (events.data?.data ?? []).map((event) => [eventKey(event), `${event.topic} of ${event.source}`]),
  );
  if (value !== '' && !choices.has(value)) choices.set(value, value);
  return (
    <SelectField
      label="Event"
      from={events}
      value={value}
      onChange={onChange}
      choices={[
        { value: '', label: 'Choose one' },
        ...[...choices].map(([key, label]) => ({ value: key, label })),
      ]}
    />
  );
}
