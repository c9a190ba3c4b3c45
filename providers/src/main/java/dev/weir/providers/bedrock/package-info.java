/** The Converse API of Amazon Bedrock. */
@NullMarked
package dev.weir.providers.bedrock;

import org.jspecify.annotations.NullMarked;
