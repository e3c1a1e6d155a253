import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { Button } from '~/ui/button.tsx';
import { Checkbox } from '~/ui/fields.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { Verdict } from '../grade.tsx';

type Proposal = Outputs['configurationManager']['getRemediation'];
type Change = Proposal['changes'][number];

/** The changes of a proposal, each of which can be left out; a choice is stored with the version it was made on. */
export function Changes({ proposal, mayChange }: { proposal: Proposal; mayChange: boolean }) {
  const queryClient = useQueryClient();
  const { id, changes, lastUpdated } = proposal;
  const stored = changes.filter(({ selected }) => selected).map((change) => change.id);
  const [draft, setDraft] = useState<{ selected: readonly string[]; base: string }>();
  const [problem, setProblem] = useState<Problem>();
  const [isSaving, setSaving] = useState(false);
  const selected = draft?.selected ?? stored;
  const isChanged = selected.length !== stored.length || selected.some((one) => !stored.includes(one));
  const toggle = (change: string, isChecked: boolean) =>
    setDraft({
      selected: isChecked ? [...selected, change] : selected.filter((one) => one !== change),
      base: draft?.base ?? lastUpdated,
    });
  const discard = () => {
    setDraft(undefined);
    setProblem(undefined);
  };
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    try {
      await api.configurationManager.selectRemediationChanges.mutate(
        { id, selected: [...selected] },
        { context: { ifMatch: draft?.base ?? lastUpdated } },
      );
      setDraft(undefined);
      showToast('The commands were calculated again; earlier approvals no longer count.');
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setSaving(false);
      await queryClient.invalidateQueries(trpc.configurationManager.getRemediation.queryFilter({ id }));
      await queryClient.invalidateQueries(trpc.configurationManager.previewRemediation.queryFilter({ id }));
    }
  };
  return (
    <section className="card" aria-labelledby="changes">
      <h2 id="changes">
        Changes: {selected.length} of {changes.length} selected
      </h2>
      {changes.length === 0 && <p className="muted">Every issue needs a decision by a person: see below.</p>}
      <ul className="plain changes">
        {changes.map((change) => (
          <li key={change.id}>
            <Checkbox
              label={<ChangeText change={change} />}
              isChecked={selected.includes(change.id)}
              isDisabled={!mayChange}
              onChange={(isChecked) => toggle(change.id, isChecked)}
            />
          </li>
        ))}
      </ul>
      {problem && <ProblemNote problem={problem} />}
      {isChanged && (
        <div className="row">
          <Button variant="primary" isPending={isSaving} onPress={() => void save()}>
            Save the selection
          </Button>
          <Button onPress={discard}>Discard</Button>
        </div>
      )}
    </section>
  );
}

/** One change of a proposal: what it removes and what it adds, and where. */
export function ChangeText({ change }: { change: Change }) {
  const { parents, old, new: added, severity, type, risk } = change;
  return (
    <span className="change">
      <span>
        <Verdict of={severity} /> <span className="muted small">{type}</span>
      </span>
      {parents.length > 0 && <code className="muted">{parents.map((line) => line.trim()).join(' › ')}</code>}
      {old !== null && old !== added && <code data-sign="removed">− {old.trim()}</code>}
      {added !== null && <code data-sign="added">+ {added.trim()}</code>}
      {risk && <span className="field-problem">{risk}</span>}
    </span>
  );
}

/** Issues for which nothing is proposed. */
export function Manual({ items }: { items: Proposal['manual'] }) {
  if (items.length === 0) return null;
  return (
    <section className="card" aria-labelledby="manual">
      <h2 id="manual">To decide by hand: {items.length}</h2>
      <ul className="plain">
        {items.map(({ specId, spec, parents, type, severity, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items have no id and never change their order
          <li key={`${specId} ${index}`} className="change">
            <span>
              <Verdict of={severity} /> <span className="muted small">{type}</span>
            </span>
            <code>
              {[
                ...parents,
                spec.words
                  .map(({ type: kind, value }) => (kind === 'regex' ? `/${value}/` : value))
                  .join(' '),
              ]
                .map((line) => line.trim())
                .join(' › ')}
            </code>
            <span className="muted">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
