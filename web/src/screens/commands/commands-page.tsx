import { useMay } from '~/api/use-may.ts';
import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { Page } from '~/ui/page.tsx';
import { RefusedFor } from '~/ui/refused-for.tsx';
import { CommandHistory } from './command-history.tsx';
import { PlanForm } from './plan-form.tsx';
import { Results } from './results.tsx';
import { TargetPicker } from './target-picker.tsx';
import { useRun } from './use-run.ts';
import { useTargets } from './use-targets.ts';
import './commands.css';

const TABS = [
  { key: 'run', title: 'Run' },
  { key: 'history', title: 'Gateway history' },
] as const;

/** Screen 9: commands on many devices, with the output of each. */
export function CommandsPage() {
  const tab = useTab(TABS.map(({ key }) => key));
  const may = useMay();
  if (!may('mop.runCommandDevices')) {
    return (
      <Page title="Commands">
        <RefusedFor operation="mop.runCommandDevices" />
      </Page>
    );
  }
  return (
    <Page title="Commands">
      <LinkTabs label="Commands" tabs={TABS} />
      {tab === 'run' ? (
        <Runner />
      ) : may('automationgateway.listHistory') ? (
        <CommandHistory />
      ) : (
        <RefusedFor operation="automationgateway.listHistory" />
      )}
    </Page>
  );
}

function Runner() {
  const targets = useTargets();
  const run = useRun();
  const may = useMay();
  const isGateway = may('automationgateway.sendCommand') && may('automationgateway.getHost');
  return (
    <>
      <div className="columns">
        <TargetPicker targets={targets} />
        <PlanForm
          count={targets.isLoading ? 0 : targets.chosen.length}
          isGateway={isGateway}
          isRunning={run.phase === 'running'}
          onRun={(plan) => void run.start(plan, targets.chosen, isGateway)}
          onStop={run.stop}
        />
      </div>
      {run.phase !== 'ready' && <Results rows={run.rows} isRunning={run.phase === 'running'} />}
    </>
  );
}
