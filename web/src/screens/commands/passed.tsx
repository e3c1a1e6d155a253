import { Badge } from '~/ui/badge.tsx';

/** Whether a check, a command or a template passed. */
export const Passed = ({ is }: { is: boolean }) => (
  <Badge tone={is ? 'good' : 'bad'}>{is ? 'passed' : 'failed'}</Badge>
);
