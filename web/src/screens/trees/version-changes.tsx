import { useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';
import { Badge } from '~/ui/badge.tsx';
import { DiffView } from '~/ui/code/editor.tsx';
import { QueryView } from '~/ui/states.tsx';

type Node = Outputs['configurationManager']['getVersion']['root'];

/** Returns the template of each node of a version, by its path. */
function templatesOf(node: Node, above = '', found = new Map<string, string>()): Map<string, string> {
  const path = above ? `${above}/${node.name}` : node.name;
  found.set(path, node.attributes?.export?.template ?? '');
  for (const child of node.children ?? []) templatesOf(child, path, found);
  return found;
}

/** The nodes whose template differs between two versions, each with its differences. */
export function VersionChanges({ treeId, before, after }: { treeId: string; before: string; after: string }) {
  const query = useQuery(trpc.configurationManager.exportTree.queryOptions({ treeId }));
  return (
    <section className="card" aria-labelledby="changed">
      <h2 id="changed">
        What changed from {before} to {after}
      </h2>
      <QueryView query={query} loading="Loading both versions">
        {({ data }) => {
          const of = (name: string) => {
            const version = data.find((one) => one.version === name);
            return version ? templatesOf(version.root) : new Map<string, string>();
          };
          const [old, now] = [of(before), of(after)];
          const paths = [...new Set([...old.keys(), ...now.keys()])].filter(
            (path) => old.get(path) !== now.get(path),
          );
          if (paths.length === 0) return <p>The templates of all nodes are the same.</p>;
          return (
            <ul className="plain">
              {paths.map((path) => (
                <li key={path}>
                  <details>
                    <summary>
                      <code>{path}</code> {!old.has(path) && <Badge tone="good">added</Badge>}
                      {!now.has(path) && <Badge tone="bad">removed</Badge>}
                    </summary>
                    <DiffView
                      label={`Template of ${path}`}
                      before={old.get(path) ?? ''}
                      after={now.get(path) ?? ''}
                    />
                  </details>
                </li>
              ))}
            </ul>
          );
        }}
      </QueryView>
    </section>
  );
}
