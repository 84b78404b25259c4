import { queryOptions, useQuery } from '@tanstack/react-query';
import { ravi } from './client.ts';

/** Query of the caller: its principal, its roles and whether it can sign out. */
export const callerQuery = () =>
  queryOptions({ queryKey: ['caller'], queryFn: ({ signal }) => ravi.login.get({ signal }) });

/** Returns true if the caller has the role `admin`; false until that is known. */
export function useIsAdmin(): boolean {
  const { data } = useQuery(callerQuery());
  return data?.roles.includes('admin') === true;
}

/** Rights of the caller on servers. */
export interface ServerRights {
  /** True if the caller may decide about held definitions. */
  readonly decides: boolean;
  /** True if the caller may connect to a server again. */
  readonly reconnects: boolean;
}

/** Returns the rights of the caller; none until they are known. */
export function useServerRights(): ServerRights {
  const { data } = useQuery(callerQuery());
  const reconnects = useIsAdmin();
  return { decides: reconnects || data?.roles.includes('approve') === true, reconnects };
}
