import { Link } from '@tanstack/react-router';
import type { Outputs } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { workflowPath } from '~/app/paths.ts';

type Missing = Outputs['automationStudio']['listMissing']['data'][number];
type Provider = Missing['providedBy'][number];

/** What documents need and this installation lacks: each part with what would provide it, and where that is done. */
export const MissingList = ({ missing }: { missing: readonly Missing[] }) => (
  <ul>
    {missing.map((one) => (
      <li key={`${one.kind} ${one.type} ${one.name}`}>
        {one.message}
        {one.tasks && one.tasks.length > 0 && (
          <details>
            <summary>
              {one.tasks.length} {one.tasks.length === 1 ? 'task' : 'tasks'}
            </summary>
            <code>{one.tasks.join(', ')}</code>
          </details>
        )}
        <NextSteps missing={one} />
      </li>
    ))}
  </ul>
);

function NextSteps({ missing: { providedBy, candidates } }: { missing: Missing }) {
  return (
    <ul aria-label="Next steps">
      {providedBy.map((provider) => (
        <NextStep key={JSON.stringify(provider)} provider={provider} />
      ))}
      {candidates?.map(({ _id, name }) => (
        <li key={_id}>
          Use <Link {...workflowPath(_id)}>{name}</Link> instead
        </li>
      ))}
    </ul>
  );
}

function NextStep({ provider }: { provider: Provider }) {
  const may = useMay();
  switch (provider.type) {
    case 'package':
      return (
        <li>
          The operator adds its package: <code>npm run adapter -- add SOURCE</code>
          {may('adapterModels.listPackages') && (
            <>
              {' '}
              (<Link to="/adapter-packages">adapter packages</Link>)
            </>
          )}
        </li>
      );
    case 'openapi':
      return may('integrationModels.createModel') ? (
        <li>
          <Link to="/integration-models">Import the OpenAPI document</Link>
        </li>
      ) : (
        <li>An administrator imports the OpenAPI document</li>
      );
    case 'import':
      return (
        <li>
          <Link to="/projects">Import the project</Link> that has it
        </li>
      );
    case 'application':
      return null;
  }
}
