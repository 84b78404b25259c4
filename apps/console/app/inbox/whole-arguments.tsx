import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApprovalView } from '@ravi/api';
import type { JsonObject } from '@ravi/kernel';
import { approvalQuery } from '../api/approvals.ts';
import { Loaded } from '../ui/loaded.tsx';

/** Props of {@link WholeArguments}. */
export interface WholeArgumentsProps {
  readonly approval: ApprovalView;
  readonly children: (whole: {
    readonly args: JsonObject;
    readonly display: NonNullable<ApprovalView['display']>;
  }) => ReactNode;
}

/** Loads the arguments and their display if they are too long for the list. */
export function WholeArguments({ approval, children }: WholeArgumentsProps) {
  const { args, display } = approval;
  const isListed = args !== undefined && display !== undefined;
  const query = useQuery({ ...approvalQuery(approval.id), enabled: !isListed });
  if (isListed) return children({ args, display });
  return (
    <Loaded query={query}>
      {({ approval: whole }) =>
        whole.args !== undefined &&
        whole.display !== undefined &&
        children({ args: whole.args, display: whole.display })
      }
    </Loaded>
  );
}
