import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Number of last characters of an id that distinguish one session from another. */
const SUFFIX_LENGTH = 6;

/** A link to the audit trail with everything that was done by one token, session or job. */
export const ActivityLink = ({ credential, children }: { credential: string; children: ReactNode }) => (
  <Link to="/admin/audit" search={{ credential, since: 'ever' }}>
    {children}
    {/* Many links of a list have the same text. */}
    <span className="visually-hidden"> {credential.slice(-SUFFIX_LENGTH)}</span>
  </Link>
);
