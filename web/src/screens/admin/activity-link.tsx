import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link to the audit trail with everything that was done by one token, session or job. */
export const ActivityLink = ({ credential, children }: { credential: string; children: ReactNode }) => (
  <Link to={'/admin/audit' as string} search={{ credential, since: 'ever' } as never}>
    {children}
  </Link>
);
