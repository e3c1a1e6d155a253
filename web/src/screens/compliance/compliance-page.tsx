import './compliance.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { Page } from '~/ui/page.tsx';
import { Empty, Loading, QueryView } from '~/ui/states.tsx';
import { Batches, endsBatch } from './batches.tsx';
import { Coverage } from './coverage.tsx';
import { Matrix } from './matrix.tsx';
import { RunDialog } from './run-dialog.tsx';
import { type Slice, SliceChoice, useSlice } from './slice.tsx';
import { TopIssues } from './top-issues.tsx';
import { Trend } from './trend.tsx';

/** Screen 5: how compliant the devices of a golden config are. */
export function CompliancePage() {
  const may = useMay();
  const trees = useQuery(trpc.configurationManager.listTrees.queryOptions({}));
  const { slice, isPending } = useSlice(trees.data ?? []);
  const [isRunning, setRunning] = useState(false);
  const [{ tree }, setUrl] = useUrlState();
  // Its button has its place from the start: the others beside it stay where they are.
  const isLooking = trees.isLoading || isPending;
  // What is shown stands in the address: a later report of another tree must not change what a reload or a link shows.
  const found = tree === undefined && !isPending ? slice : undefined;
  useEffect(() => {
    if (found) setUrl({ tree: found.treeId, version: found.version });
  });
  return (
    <Page
      title="Compliance"
      actions={
        <>
          <LinkButton to="/rules">Rules and devices</LinkButton>
          <LinkButton to="/proposals">Proposals</LinkButton>
          <LinkButton to="/campaigns">Campaigns</LinkButton>
          <LinkButton to="/compliance-plans">Plans</LinkButton>
          {(slice || isLooking) && may('configurationManager.runCompliance') && (
            <Button variant="primary" onPress={() => setRunning(true)} isDisabled={isLooking}>
              Run compliance
            </Button>
          )}
        </>
      }
    >
      <QueryView query={trees} loading="Loading golden configs">
        {(list) =>
          isPending ? (
            <Loading what="Loading the newest report" />
          ) : slice ? (
            <>
              <SliceChoice trees={list} slice={slice} />
              <Batches />
              <Overview slice={slice} />
              {isRunning && <RunDialog slice={slice} onClose={() => setRunning(false)} />}
            </>
          ) : (
            <Empty title="There is no golden config yet">
              <p>A golden config holds the rules that devices are checked against.</p>
              <LinkButton to="/trees" variant="primary">
                Create a golden config
              </LinkButton>
            </Empty>
          )
        }
      </QueryView>
    </Page>
  );
}

function Overview({ slice }: { slice: Slice }) {
  const { getCoverage, getMatrix, getTrend, listTopIssues } = trpc.configurationManager;
  useRefetchOn(getCoverage.pathFilter(), endsBatch);
  useRefetchOn(getMatrix.pathFilter(), endsBatch);
  useRefetchOn(getTrend.pathFilter(), endsBatch);
  useRefetchOn(listTopIssues.pathFilter(), endsBatch);
  return (
    <>
      <div className="columns">
        <Coverage slice={slice} />
        <Trend slice={slice} />
      </div>
      <TopIssues slice={slice} />
      <Matrix slice={slice} />
    </>
  );
}
