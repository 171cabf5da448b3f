/**
 * The writer service: tables, memory budget, commit schedule, staged statements, leases.
 */
package io.paimon.realtime.service;
