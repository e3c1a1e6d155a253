import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { useUnsaved } from '~/app/use-unsaved.ts';
import { Button } from '~/ui/button.tsx';
import { CodeEditor } from '~/ui/code/editor.tsx';
import { Conflict } from '~/ui/form/conflict.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import type { Template } from './text-template-page.tsx';
import { Trial } from './trial.tsx';

type Texts = { template: string; data: string };
/** What is typed, what was stored when that began, and the stamp of what was stored. */
type Draft = Texts & { base: Texts; stamp: string | undefined };

const isSame = (one: Texts, other: Texts) => one.template === other.template && one.data === other.data;

/** Returns both texts as one, for a comparison. */
const asOne = ({ template, data }: Texts) => `${template}\n\nData\n\n${data}`;

/** A template beside its data, tried while they are typed, and saved only onto the version that they were read from. */
export function TextEditor({ template }: { template: Template }) {
  const may = useMay();
  const queryClient = useQueryClient();
  const stored: Texts = { template: template.template ?? '', data: template.data ?? '' };
  const [draft, setDraft] = useState<Draft>();
  const [problem, setProblem] = useState<Problem>();
  const [line, setLine] = useState<number>();
  const [isSaving, setSaving] = useState(false);
  const mayEdit = may('automationStudio.updateTemplate');
  const shown: Texts = draft ?? stored;
  const isChanged = draft !== undefined && !isSame(draft, draft.base);
  useUnsaved(() => isChanged);
  const edit = (change: Partial<Texts>) =>
    setDraft((before) => ({
      ...stored,
      base: stored,
      stamp: template.lastUpdated,
      ...before,
      ...change,
    }));
  const take = (next: Draft | undefined) => {
    setDraft(next);
    setProblem(undefined);
  };
  const readAgain = () =>
    Promise.all(
      [trpc.automationStudio.getTemplate, trpc.automationStudio.listTemplates].map((procedure) =>
        queryClient.invalidateQueries(procedure.pathFilter()),
      ),
    );
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    try {
      const stamp = draft?.stamp ?? template.lastUpdated;
      await api.automationStudio.updateTemplate.mutate(
        { id: template._id, update: { template: shown.template, data: shown.data } },
        stamp === undefined ? {} : { context: { ifMatch: stamp } },
      );
      await readAgain();
      setDraft(undefined);
      showToast('Saved.');
    } catch (error) {
      const failed = problemOf(error);
      setProblem(failed);
      if (failed.status === 409) await readAgain();
    } finally {
      setSaving(false);
    }
  };
  const isConflict = problem?.status === 409;
  const isJinja = template.type === 'jinja2';
  return (
    <div className="column">
      <div className="columns">
        <section className="column" aria-label="Template">
          <h2>Template</h2>
          <CodeEditor
            label="Text of the template"
            value={shown.template}
            onChange={(text) => edit({ template: text })}
            isReadOnly={!mayEdit}
            line={line}
          />
        </section>
        <section className="column" aria-label="Data">
          <h2>{isJinja ? 'Values, as JSON' : 'Output to parse'}</h2>
          <CodeEditor
            label={isJinja ? 'Values to render it with' : 'Output to parse with it'}
            value={shown.data}
            onChange={(text) => edit({ data: text })}
            {...(isJinja && { language: 'json' })}
          />
        </section>
      </div>
      {problem && !isConflict && <ProblemNote problem={problem} />}
      {isConflict && (
        <Conflict
          what="this template"
          stored={asOne(stored)}
          mine={asOne(shown)}
          onTakeStored={() => take(undefined)}
          onKeepMine={() => take({ ...shown, base: stored, stamp: template.lastUpdated })}
        />
      )}
      {mayEdit ? (
        <div className="row">
          <Button variant="primary" isDisabled={!isChanged} isPending={isSaving} onPress={() => void save()}>
            Save template
          </Button>
          <Button isDisabled={!isChanged} onPress={() => take(undefined)}>
            Discard
          </Button>
          <span className="muted small" role="status" aria-label="Draft">
            {isChanged ? 'unsaved' : 'saved'}
          </span>
        </div>
      ) : (
        <p className="muted small">
          Your account may not save the template; the data can be changed to try it, and is not stored.
        </p>
      )}
      <Trial type={template.type} template={shown.template} data={shown.data} onGo={setLine} />
    </div>
  );
}
