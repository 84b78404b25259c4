// Child process of the crash contract: the start and the end of each request are possible crash points.
import { subscribe } from 'node:diagnostics_channel';
import { crashOrders, createCrashPoint, runCrashScenario } from '@ravi/testkit/blob-store-crash-child';
import { createS3BlobStore } from '../src/index.ts';
import type { Place } from './test-stores.ts';

const orders = crashOrders();
await using store = await createS3BlobStore(JSON.parse(orders.place) as Place);
const crashPoint = createCrashPoint(orders);
subscribe('http.client.request.start', crashPoint);
subscribe('http.client.response.finish', crashPoint);
await runCrashScenario(store, orders, 12 * 1024 * 1024);
