/** Events a second. */
export const endpointChurn = { noise: 0, changes: 200, rollout: 10, routes: 0 };
export const routeChurn = { ...endpointChurn, routes: 5 };
