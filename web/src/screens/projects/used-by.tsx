import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Inputs, trpc } from '~/api/client.ts';
import { automationPath, projectPath, workflowPath } from '~/app/paths.ts';
import { Button } from '~/ui/button.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { QueryView } from '~/ui/states.tsx';

type DocumentLink = ReturnType<typeof workflowPath | typeof automationPath | typeof projectPath>;

type UsedByProps = {
  type: Inputs['automationStudio']['listReferencesTo']['target-type'];
  reference: string;
  onClose: () => void;
};

const PATHS: Record<string, (id: string) => DocumentLink> = {
  workflow: workflowPath,
  automation: automationPath,
  project: projectPath,
};

/** The documents that use an asset. */
export function UsedBy({ type, reference, onClose }: UsedByProps) {
  const users = useQuery(
    trpc.automationStudio.listReferencesTo.queryOptions({
      'target-type': type,
      'target-identifiers': [reference],
    }),
  );
  return (
    <Dialog title="Used by" isOpen onClose={onClose}>
      <QueryView query={users}>
        {({ data }) =>
          data.length === 0 ? (
            <p>No document uses it.</p>
          ) : (
            <ul>
              {data.map(({ type, _id, name }) => {
                const path = PATHS[type]?.(_id);
                return (
                  <li key={_id}>
                    {path ? <Link {...path}>{name}</Link> : name} ({type})
                  </li>
                );
              })}
            </ul>
          )
        }
      </QueryView>
      <div className="dialog-actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
