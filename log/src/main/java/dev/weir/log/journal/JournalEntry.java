package dev.weir.log.journal;

/**
 * What the index knows of a record.
 *
 * @param offset where it begins; {@link JournalReader#read} takes it
 * @param length what it takes in the file, all included
 */
@SuppressWarnings("ArrayRecordComponent") // made by the million, never compared
public record JournalEntry(int type, long offset, int length, byte[] key) {}
