import type { Outputs } from '~/api/client.ts';
import { Badge, Progress } from '~/ui/badge.tsx';

type Run = Pick<Outputs['inventory']['getRun'], 'status' | 'progress'>;

/** Why a source could not be read, as a sentence with its code. */
export const errorText = ({ code, message }: { code: string; message: string }): string =>
  `The source ${message} (${code})`;

/** The state of a run, with its progress while it is under way. */
export function RunProgress({ run: { status, progress } }: { run: Run }) {
  if (status === 'running') {
    return <Progress label="Devices of the run" done={progress.done} total={progress.total} />;
  }
  return (
    <Badge tone={status === 'complete' ? 'good' : 'bad'}>
      {status === 'complete' ? 'complete' : 'failed'}
    </Badge>
  );
}
