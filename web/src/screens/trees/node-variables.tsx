import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { CodeEditor } from '~/ui/code/editor.tsx';
import { Conflict } from '~/ui/form/conflict.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { ProblemNote, QueryView } from '~/ui/states.tsx';
import type { Place } from './place.ts';
import { useUnsavedDraft } from './use-unsaved-draft.ts';

/** The variables of a version, as JSON; they are used by the templates of all its nodes. */
export function NodeVariables({ place: { treeId, version } }: { place: Place }) {
  const query = useQuery(trpc.configurationManager.getVersion.queryOptions({ treeId, version }));
  return (
    <QueryView query={query} loading="Loading variables">
      {({ variables, lastUpdated }) => (
        <Variables
          place={{ treeId, version }}
          stored={JSON.stringify(variables, null, 2)}
          stamp={lastUpdated}
        />
      )}
    </QueryView>
  );
}

type VariablesProps = {
  place: { treeId: string; version: string };
  stored: string;
  stamp: string | undefined;
};

/** Edits the variables of a node. A change is saved only if the stored version is still the one that was edited. */
function Variables({ place, stored, stamp }: VariablesProps) {
  const may = useMay();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<{ text: string; stamp: string | undefined }>();
  const [problem, setProblem] = useState<Problem>();
  const [isSaving, setSaving] = useState(false);
  const mayEdit = may('configurationManager.updateVersion');
  const text = draft?.text ?? stored;
  useUnsavedDraft(text !== stored);
  const readAgain = () => queryClient.invalidateQueries(trpc.configurationManager.getVersion.pathFilter());
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    try {
      const variables: Record<string, unknown> = JSON.parse(text);
      const ifMatch = draft?.stamp ?? stamp;
      await api.configurationManager.updateVersion.mutate(
        { ...place, variables },
        ifMatch ? { context: { ifMatch } } : {},
      );
      showToast('Saved; nodes whose rules are now out of date are marked.');
      await readAgain();
      setDraft(undefined);
      await queryClient.invalidateQueries(trpc.configurationManager.getNode.pathFilter());
    } catch (error) {
      const failed = problemOf(error);
      if (failed.status === 409) await readAgain();
      setProblem(failed);
    } finally {
      setSaving(false);
    }
  };
  const settle = (next: typeof draft) => {
    setDraft(next);
    setProblem(undefined);
  };
  const isConflict = problem?.status === 409;
  return (
    <div className="column">
      <p className="muted">Values for the expressions in the templates of this version, as JSON.</p>
      <CodeEditor
        label="Variables"
        language="json"
        value={text}
        onChange={(next) => setDraft({ text: next, stamp: draft ? draft.stamp : stamp })}
        isReadOnly={!mayEdit}
      />
      {problem && !isConflict && <ProblemNote problem={problem} />}
      {isConflict && (
        <Conflict
          what="this version"
          stored={stored}
          mine={text}
          onTakeStored={() => settle(undefined)}
          onKeepMine={() => settle({ text, stamp })}
        />
      )}
      {mayEdit && (
        <div className="row">
          <Button
            variant="primary"
            isDisabled={text === stored}
            isPending={isSaving}
            onPress={() => void save()}
          >
            Save variables
          </Button>
        </div>
      )}
    </div>
  );
}
