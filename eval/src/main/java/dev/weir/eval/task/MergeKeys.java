package dev.weir.eval.task;

import dev.weir.model.ConfigurationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Puts the entries of other mappings where {@code <<} names them: {@code {<<: *defaults, id: 2}}.
 * Keys that a mapping has itself win; of several others the first. YAML 1.2 leaves these keys out,
 * but people know them from everywhere else. Not thread-safe.
 */
final class MergeKeys {

  private static final String MERGE = "<<";

  /** Small files could otherwise stand for more than there is memory. */
  private static final int MOST_ENTRIES = 1_000_000;

  private final Set<Node> done = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Node> within = Collections.newSetFromMap(new IdentityHashMap<>());
  private int entries;

  private MergeKeys() {}

  /**
   * @throws ConfigurationException if {@code <<} is no mapping or list of them
   */
  static void resolve(Node root) {
    new MergeKeys().visit(root);
  }

  private void visit(Node node) {
    if (!done.add(node)) {
      return;
    }
    within.add(node);
    switch (node) {
      case SequenceNode sequence -> sequence.getValue().forEach(this::visit);
      case MappingNode mapping -> {
        for (NodeTuple tuple : mapping.getValue()) {
          visit(tuple.getKeyNode());
          visit(tuple.getValueNode());
        }
        if (mapping.getValue().stream().anyMatch(MergeKeys::isMerge)) {
          mapping.setValue(merged(mapping));
        }
      }
      default -> {}
    }
    within.remove(node);
  }

  private List<NodeTuple> merged(MappingNode mapping) {
    List<NodeTuple> own = new ArrayList<>();
    List<NodeTuple> merges = new ArrayList<>();
    mapping.getValue().forEach(tuple -> (isMerge(tuple) ? merges : own).add(tuple));
    if (merges.size() > 1) {
      throw YamlTree.problem(merges.get(1).getKeyNode(), "the key '<<' is there twice");
    }
    Set<String> keys = new HashSet<>();
    own.forEach(tuple -> keys.add(key(tuple)));
    Node value = merges.getFirst().getValueNode();
    List<Node> others = value instanceof SequenceNode list ? list.getValue() : List.of(value);
    for (Node other : others) {
      if (!(other instanceof MappingNode source) || within.contains(other)) {
        throw YamlTree.problem(
            merges.getFirst().getKeyNode(),
            "`<<` must be an alias of another mapping, such as *name, or a list of them");
      }
      for (NodeTuple tuple : source.getValue()) {
        if (keys.add(key(tuple))) {
          own.add(tuple);
        }
        if (++entries > MOST_ENTRIES) {
          throw YamlTree.problem(mapping, "aliases make too much of this");
        }
      }
    }
    return own;
  }

  private static boolean isMerge(NodeTuple tuple) {
    return tuple.getKeyNode() instanceof ScalarNode key
        && key.getScalarStyle() == ScalarStyle.PLAIN
        && key.getValue().equals(MERGE);
  }

  /** Keys that are no texts are told later, with their place. */
  private static String key(NodeTuple tuple) {
    return tuple.getKeyNode() instanceof ScalarNode key
        ? key.getValue()
        : YamlTree.place(tuple.getKeyNode());
  }
}
