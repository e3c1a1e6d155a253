import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { type Problem, problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { CodeEditor } from '~/ui/code/editor.tsx';
import { ProblemNote, QueryView } from '~/ui/states.tsx';
import { showToast } from '~/ui/toast.tsx';
import type { Place } from './place.ts';

/** The variables of a version, as JSON; they are used by the templates of all its nodes. */
export function NodeVariables({ place: { treeId, version } }: { place: Place }) {
  const query = useQuery(trpc.configurationManager.getVersion.queryOptions({ treeId, version }));
  return (
    <QueryView query={query} loading="Loading variables">
      {({ variables, lastUpdated }) => (
        <Variables
          key={lastUpdated}
          place={{ treeId, version }}
          stored={JSON.stringify(variables, null, 2)}
          stamp={lastUpdated}
        />
      )}
    </QueryView>
  );
}

function Variables({
  place,
  stored,
  stamp,
}: {
  place: { treeId: string; version: string };
  stored: string;
  stamp: string | undefined;
}) {
  const may = useMay();
  const queryClient = useQueryClient();
  const [text, setText] = useState(stored);
  const [problem, setProblem] = useState<Problem>();
  const [isSaving, setSaving] = useState(false);
  const mayEdit = may('configurationManager.updateVersion');
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    try {
      const variables: Record<string, unknown> = JSON.parse(text);
      await api.configurationManager.updateVersion.mutate(
        { ...place, variables },
        stamp ? { context: { ifMatch: stamp } } : {},
      );
      showToast('Saved; nodes whose rules are now out of date are marked.');
      await queryClient.invalidateQueries(trpc.configurationManager.getVersion.pathFilter());
      await queryClient.invalidateQueries(trpc.configurationManager.getNode.pathFilter());
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <div className="column">
      <p className="muted">Values for the expressions in the templates of this version, as JSON.</p>
      <CodeEditor label="Variables" language="json" value={text} onChange={setText} isReadOnly={!mayEdit} />
      {problem && <ProblemNote problem={problem} />}
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
