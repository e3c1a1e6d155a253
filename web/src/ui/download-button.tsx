import type { ReactNode } from 'react';
import { download } from '~/api/download.ts';
import { Button, type Variant } from './button.tsx';
import { showProblem } from './overlays/toast.tsx';

type DownloadButtonProps = {
  /** The path of a GET endpoint that answers with a file. */
  address: string;
  variant?: Variant;
  children: ReactNode;
};

/** Lets the browser download a file that the server writes. */
export const DownloadButton = ({ address, variant = 'secondary', children }: DownloadButtonProps) => (
  <Button variant={variant} onPress={() => void download(address).catch(showProblem)}>
    {children}
  </Button>
);
