package io.paimon.realtime.memory.arrow;

import org.apache.paimon.data.InternalMap;

/** One map or multiset of a canonical vector, read in place. */
record ArrowMapView(ArrowArrayView keyArray, ArrowArrayView valueArray) implements InternalMap
{
    @Override
    public int size()
    {
        return keyArray.size();
    }
}
